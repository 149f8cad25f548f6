#include "source/shell.h"

namespace trainyard {
namespace {

/// The name in a `${NAME}` or `${NAME:-...}` that starts at `open`; "" for what no shell would
/// expand either, such as the `${oc.env:HOME}` of a configuration language.
std::string_view shell_name(std::string_view text, std::size_t open) {
  const std::string_view rest = text.substr(open + 2);
  if (rest.empty() || !starts_shell_name(rest.front())) return {};
  const std::size_t end = rest.find_first_not_of(kShellNameCharacters);
  if (end == rest.npos) return {};
  const bool ends = rest[end] == '}';
  const bool changes = std::string_view("-+?%#/").find(rest[end]) != rest.npos;
  const bool has_default = rest[end] == ':' && end + 1 < rest.size() &&
                           std::string_view("-+?=").find(rest[end + 1]) != rest.npos;
  return ends || changes || has_default ? rest.substr(0, end) : std::string_view();
}

}  // namespace

bool starts_shell_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

std::string_view shell_variable(std::string_view text) {
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("${")) {
      const std::string_view name = shell_name(text, at);
      if (!name.empty()) return name;
    }
    at += rest.starts_with("$$") ? 2U : 1U;
  }
  return {};
}

bool is_shell(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "sh" || name == "bash" || name == "zsh" || name == "dash";
}

}  // namespace trainyard
