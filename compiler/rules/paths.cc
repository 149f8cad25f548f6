#include "rules/paths.h"

#include <algorithm>

namespace trainyard {
namespace {

/// Calls `found` with each step that is not empty.
template <class Found>
void each_step(std::string_view path, const Found& found) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) found(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
}

}  // namespace

std::string plain_path(std::string_view path) {
  std::string plain;
  each_step(path, [&](std::string_view step) {
    if (step != ".") plain.append("/").append(step);
  });
  return plain.empty() ? "/" : plain;
}

bool goes_up(std::string_view path) {
  bool up = false;
  each_step(path, [&](std::string_view step) { up = up || step == ".."; });
  return up;
}

bool is_within(std::string_view path, std::string_view directory) {
  if (directory == "/" || path == directory) return true;
  return path.starts_with(directory) && path[directory.size()] == '/';
}

}  // namespace trainyard
