#include "golden/coverage.h"

#include <algorithm>
#include <map>

#include "diag/kind.h"
#include "golden/files.h"
#include "golden_cases.h"

namespace trainyard::golden {

namespace fs = std::filesystem;

namespace {

using Reasons = std::map<std::string, std::string>;

Reasons parse_reasons(std::string_view markdown) {
  Reasons reasons;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (!line.starts_with("- `")) continue;
    const std::size_t close = std::min(line.find('`', 3), line.size());
    std::string_view reason = line.substr(std::min(close + 1, line.size()));
    reason.remove_prefix(std::min(reason.find_first_not_of(": "), reason.size()));
    reasons.emplace(line.substr(3, close - 3), reason);
  }
  return reasons;
}

}  // namespace

Names bracketed(std::string_view text) {
  Names names;
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    const std::size_t end =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", open + 1);
    const bool closed = end != std::string_view::npos && text[end] == ']' && end > open + 1;
    if (closed) names.emplace(text.substr(open + 1, end - open - 1));
  }
  return names;
}

std::string check_coverage(const Names& kinds, const Names& shown, std::string_view uncovered) {
  const Reasons reasons = parse_reasons(uncovered);
  std::string wrong;
  for (const std::string& kind : kinds) {
    if (!shown.contains(kind) && !reasons.contains(kind)) {
      wrong += kind + ": no golden case shows it; add one, or a reason to UNCOVERED.md\n";
    }
  }
  for (const auto& [kind, reason] : reasons) {
    if (!kinds.contains(kind)) {
      wrong += kind + ": UNCOVERED.md lists it, but there is no such kind\n";
    } else if (shown.contains(kind)) {
      wrong += kind + ": UNCOVERED.md lists it, but a golden case shows it\n";
    } else if (reason.empty()) {
      wrong += kind + ": UNCOVERED.md gives no reason\n";
    }
  }
  return wrong;
}

std::string check_coverage(const fs::path& golden) {
  Names kinds;
  for (const KindInfo& kind : all_kinds()) kinds.emplace(kind.name);
  Names shown;
  for (const testing::GoldenCase& each : testing::golden_cases(golden)) {
    for (const char* stream : {"stdout", "stderr"}) {
      shown.merge(bracketed(testing::read_file_if_any(each.path / stream)));
    }
  }
  const fs::path list = golden / "UNCOVERED.md";
  return check_coverage(kinds, shown, fs::exists(list) ? read_file(list) : "");
}

}  // namespace trainyard::golden
