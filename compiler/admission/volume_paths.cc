#include "admission/volume_paths.h"

namespace trainyard {

std::optional<std::string> why_steps_up(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return "must not hold the step `..`";
    if (slash == std::string_view::npos) return std::nullopt;
    path.remove_prefix(slash + 1);
  }
}

std::optional<std::string> why_not_below(std::string_view path) {
  if (path.starts_with('/')) return "must be relative: without the first `/`";
  return why_steps_up(path);
}

std::optional<std::string> why_not_a_file(std::string_view path) {
  if (auto fault = why_not_below(path)) return fault;
  if (path.starts_with("..")) return "must not begin with `..`";
  return std::nullopt;
}

}  // namespace trainyard
