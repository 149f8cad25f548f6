#include "diag/folded.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Findings with the same text are alike: those of one check, and notes of a walk whose messages
/// begin alike, up to what differs from file to file. "" for what is printed in any case.
std::string alike(const Diagnostic& each) {
  if (each.severity == Severity::Error) return {};
  if (!each.found_by.check.empty()) {
    return "check `" + std::string(each.found_by.check) + "` finds the same in ";
  }
  if (each.severity != Severity::Note) return {};
  std::string_view begin = each.message;
  begin = begin.substr(0, begin.find_first_of("`0123456789"));
  begin = begin.substr(0, begin.find_last_not_of(" :;") + 1);
  return begin.empty() ? std::string() : "\"" + std::string(begin) + "\": the same in ";
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
  std::map<std::pair<std::string, DiagnosticKind>, Repeated> groups;
  std::vector<Repeated*> group_of_each;
  for (const Diagnostic& each : diagnostics) {
    const std::string key = alike(each);
    const auto kind = each.found_by.check.empty() ? each.kind : DiagnosticKind::LeftOut;
    group_of_each.push_back(key.empty() ? nullptr : &groups[{key, kind}]);
    if (!key.empty()) ++group_of_each.back()->count;
  }
  std::vector<Diagnostic> result;
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    const Diagnostic& each = diagnostics[i];
    Repeated* repeated = group_of_each[i];
    if (repeated == nullptr || repeated->count <= kMost || repeated->shown++ < kShown) {
      result.push_back(each);
      continue;
    }
    if (each.span.known()) repeated->files.insert(each.span.file);
    repeated->secrets.insert(repeated->secrets.end(), each.secrets.begin(), each.secrets.end());
  }
  for (const auto& [group, repeated] : groups) {
    if (repeated.count <= kMost) continue;
    Diagnostic& note =
        result.emplace_back(DiagnosticKind::LeftOut, Span{},
                            group.first + counted(repeated.count - kShown, "more place") +
                                places(repeated, sources) + "; `--all` prints each");
    note.secrets = repeated.secrets;
  }
  return result;
}

}  // namespace trainyard
