#include "schema/rule_path.h"

#include <algorithm>

namespace trainyard {
namespace {

/// The text between the quotes at the front of `rest`, which begins behind the opening one.
std::string quoted_name(std::string_view& rest) {
  std::string name;
  while (!rest.empty() && rest[0] != '\'') {
    if (rest[0] == '\\' && rest.size() > 1) rest.remove_prefix(1);
    name += rest[0];
    rest.remove_prefix(1);
  }
  rest.remove_prefix(std::min(std::string_view("']").size(), rest.size()));
  return name;
}

}  // namespace

std::vector<std::string> rule_path(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    if (path.starts_with("['")) {
      path.remove_prefix(2);
      names.push_back(quoted_name(path));
      continue;
    }
    if (path[0] == '.') path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end == 0) break;
    names.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return names;
}

}  // namespace trainyard
