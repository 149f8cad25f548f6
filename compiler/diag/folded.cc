#include "diag/folded.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "diag/words.h"

namespace trainyard {
namespace {

constexpr std::uint32_t kMost = 5;   // that are printed one by one
constexpr std::uint32_t kShown = 3;  // of more than that
constexpr std::size_t kFiles = 3;    // that the note names

struct Repeated {
  std::uint32_t count = 0;
  std::uint32_t shown = 0;
  std::set<FileId> files;     // of those that are not shown
  std::vector<Span> secrets;  // of those too: another finding may show their lines
};

bool may_fold(const Diagnostic& each) {
  return each.severity != Severity::Error && !each.found_by.check.empty();
}

/// " in a.yaml, b.yaml and 12 more files": the names are whole, to be copied.
std::string places(const Repeated& repeated, const SourceMap& sources) {
  std::vector<std::string> names;
  for (FileId file : repeated.files) {
    if (names.size() == kFiles) break;
    names.emplace_back(sources.name(file));
  }
  const auto others = static_cast<std::uint32_t>(repeated.files.size() - names.size());
  if (others != 0) names.push_back(counted(others, "more file"));
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? " in " : i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::vector<Diagnostic> folded(std::span<const Diagnostic> diagnostics, const SourceMap& sources) {
  std::map<std::string_view, Repeated> checks;
  for (const Diagnostic& each : diagnostics) {
    if (may_fold(each)) ++checks[each.found_by.check].count;
  }
  std::vector<Diagnostic> result;
  for (const Diagnostic& each : diagnostics) {
    Repeated* repeated = may_fold(each) ? &checks[each.found_by.check] : nullptr;
    if (repeated == nullptr || repeated->count <= kMost || repeated->shown++ < kShown) {
      result.push_back(each);
      continue;
    }
    if (each.span.known()) repeated->files.insert(each.span.file);
    repeated->secrets.insert(repeated->secrets.end(), each.secrets.begin(), each.secrets.end());
  }
  for (const auto& [check, repeated] : checks) {
    if (repeated.count <= kMost) continue;
    Diagnostic& note = result.emplace_back(DiagnosticKind::LeftOut, Span{},
                                           "check `" + std::string(check) + "` finds the same in " +
                                               counted(repeated.count - kShown, "more place") +
                                               places(repeated, sources) + "; `--all` prints each");
    note.secrets = repeated.secrets;
  }
  return result;
}

}  // namespace trainyard
