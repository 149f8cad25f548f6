#include "tree/conflict_markers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "diag/words.h"

namespace trainyard {
namespace {

// What Git begins the lines with. With `merge.conflictStyle=diff3`, the text before both changes
// stands between base and middle.
constexpr std::string_view kOurs = "<<<<<<<";
constexpr std::string_view kBase = "|||||||";
constexpr std::string_view kMiddle = "=======";
constexpr std::string_view kTheirs = ">>>>>>>";

/// A line that is a marker.
struct Marker {
  std::size_t begin = 0;
  std::size_t end = 0;     // of the line
  std::string_view label;  // the branch or commit behind it
};

/// The first line at or after `from` that is this marker.
std::optional<Marker> find_marker(std::string_view text, std::string_view marker,
                                  std::size_t from) {
  for (std::size_t at = text.find(marker, from); at != text.npos; at = text.find(marker, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at && text[end - 1] == '\r') --end;
    const std::string_view label = text.substr(at + marker.size(), end - at - marker.size());
    if (label.empty()) return Marker{at, end, {}};
    if (label.front() == ' ') return Marker{at, end, label.substr(1)};
  }
  return std::nullopt;
}

/// Counts lines from one place to the next.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  /// One-based. Places must not go back.
  std::size_t at(std::size_t place) {
    line_ += static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(place_),
                   text_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    place_ = place;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t place_ = 0;
  std::size_t line_ = 1;
};

std::string side(std::string_view word, const Marker& marker) {
  std::string result(word);
  if (!marker.label.empty()) result += " (" + shown(marker.label) + ")";
  return result;
}

Span span_of(const Marker& marker, FileId file) {
  return {file, static_cast<std::uint32_t>(marker.begin), static_cast<std::uint32_t>(marker.end)};
}

/// Of a conflict that was resolved in part.
bool report_left_over(std::string_view text, FileId file, Sink& sink) {
  const std::optional<Marker> theirs = find_marker(text, kTheirs, 0);
  if (!theirs) return false;
  sink.report(DiagnosticKind::ConflictMarker, span_of(*theirs, file),
              side("the end", *theirs) + " of a merge conflict of Git, whose beginning is gone")
      .note("remove this line, and the line `" + std::string(kMiddle) + "` above if it is there");
  return true;
}

}  // namespace

bool report_merge_conflicts(std::string_view text, FileId file, Sink& sink) {
  std::optional<Marker> ours = find_marker(text, kOurs, 0);
  if (!ours) return report_left_over(text, file, sink);
  LineCounter lines(text);
  while (ours) {
    const std::optional<Marker> next = find_marker(text, kOurs, ours->end);
    const std::string_view conflict = text.substr(0, next ? next->begin : text.size());
    const std::optional<Marker> middle = find_marker(conflict, kMiddle, ours->end);
    const std::optional<Marker> theirs =
        find_marker(conflict, kTheirs, middle ? middle->end : ours->end);
    const std::size_t line = lines.at(ours->begin);
    std::string message = "an unresolved merge conflict of Git: " + side("one side", *ours) +
                          " begins on line " + std::to_string(line + 1);
    if (middle) {
      message += ", " + side("the other", theirs.value_or(Marker{})) + " on line " +
                 std::to_string(lines.at(middle->begin) + 1);
    }
    Diagnostic& report = sink.report(DiagnosticKind::ConflictMarker, span_of(*ours, file), message);
    if (middle) report.also(span_of(*middle, file), "the other side begins below");
    if (theirs) report.also(span_of(*theirs, file), "the conflict ends here");
    report.note("write what is right in its place, and remove the lines that begin with `" +
                std::string(kOurs) + "`, `" + std::string(kMiddle) + "` and `" +
                std::string(kTheirs) + "`");
    ours = next;
  }
  return true;
}

bool has_merge_conflict(std::string_view text) {
  return find_marker(text, kOurs, 0) || find_marker(text, kTheirs, 0);
}

bool is_conflict_line(std::string_view line) {
  return std::ranges::any_of(std::array{kOurs, kBase, kMiddle, kTheirs},
                             [line](std::string_view marker) {
                               const auto found = find_marker(line, marker, 0);
                               return found && found->begin == 0;
                             });
}

}  // namespace trainyard
