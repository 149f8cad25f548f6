#include "driver/build/out_of_date.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "diag/words.h"
#include "driver/format/difference.h"

namespace trainyard {
namespace {

/// A line that differs, and what makes it what it is to be.
struct CausedLine {
  std::uint32_t on_disk = 0;
  Span place;
};

std::optional<CausedLine> first_caused_line(const OutOfDateFile& file) {
  const std::vector<SpecLine>& causes = file.causes->lines;
  if (causes.empty() || file.on_disk.empty()) return std::nullopt;
  for (const ChangedLine& changed : changed_lines(file.on_disk, file.made)) {
    const auto after = std::ranges::upper_bound(causes, changed.new_line, {}, &SpecLine::first);
    if (after == causes.begin() || std::prev(after)->last < changed.new_line) continue;
    return CausedLine{changed.old_line, std::prev(after)->place};
  }
  return std::nullopt;
}

std::string what_is_wrong(const OutOfDateFile& file) {
  if (file.causes == nullptr) return " is superfluous: no spec of the inputs makes it";
  switch (file.state) {
    case FileState::Absent:
      return " is missing";
    case FileState::Edited:
      return " was edited since trainyard wrote it";
    case FileState::Others:
      return " is in the way: it was made " + file.origin;
    case FileState::Unrecorded:
      return " is in the way: it does not record its source";
    case FileState::Foreign:
      return " is in the way: trainyard did not make it";
    case FileState::Ours:
    case FileState::Current:
      break;
  }
  return " is stale: it is not what the inputs make now";
}

}  // namespace

Diagnostic out_of_date(OutOfDateFile file, SourceMap& sources) {
  std::string message = "`" + file.path + "`" + what_is_wrong(file);
  Span place = file.causes == nullptr ? Span() : file.causes->job;
  std::optional<CausedLine> line;
  const bool has_text_of_ours = file.state == FileState::Ours || file.state == FileState::Edited;
  if (place.known() && has_text_of_ours) line = first_caused_line(file);
  if (line) place = line->place;
  if (!place.known()) place = {sources.add(file.path, std::move(file.on_disk)), 0, 0};
  Diagnostic finding(DiagnosticKind::OutOfDate, place, std::move(message));
  if (line) finding.note("line " + std::to_string(line->on_disk) + " of it comes from here");
  for (const std::string& each : file.refused) {
    finding.note(each);
  }
  const bool is_ours = file.state == FileState::Ours || file.state == FileState::Absent;
  if (is_ours) finding.note("the same command without `--check` brings it up to date");
  return finding;
}

}  // namespace trainyard
