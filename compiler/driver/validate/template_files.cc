#include "driver/validate/template_files.h"

#include <algorithm>
#include <array>

namespace trainyard {

bool is_named_as_template(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr auto kMarks = std::to_array<std::string_view>({"template", ".tmpl", ".tftpl", ".tpl"});
  return std::ranges::any_of(kMarks, [&](auto mark) { return name.find(mark) != name.npos; });
}

bool is_below_templates(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1).find("template") != path.npos;
}

bool is_of_samples(std::string_view path) {
  constexpr auto kFolders = std::to_array<std::string_view>(
      {"demo", "doc", "docs", "e2e", "example", "examples", "fixture", "fixtures", "golden",
       "sample", "samples", "test", "testdata", "testing", "tests"});
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash == path.npos) return false;
    if (std::ranges::find(kFolders, path.substr(0, slash)) != kFolders.end()) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

bool has_empty_name(std::string_view text) {
  constexpr std::string_view kName = "  name:";
  for (std::size_t at = text.find(kName); at != text.npos; at = text.find(kName, at + 1)) {
    const std::size_t end = text.find_first_not_of(" \r", at + kName.size());
    if (end == text.npos || text[end] == '\n') return true;
  }
  return false;
}

}  // namespace trainyard
