#include "source/folder.h"

#include <algorithm>

namespace trainyard {

bool Listing::is_link(const std::string& name) const {
  return std::ranges::binary_search(links, name);
}

bool stays_below(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != part.npos) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace trainyard
