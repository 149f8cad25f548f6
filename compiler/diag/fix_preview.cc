#include "diag/fix_preview.h"

#include <algorithm>
#include <string_view>

#include "diag/glyph.h"

namespace trainyard {
namespace {

constexpr std::size_t kLargest = 16 * 1024;
constexpr std::size_t kBeside = 2000;  // more bytes than a window of 400 code points shows

/// What stands before the byte `at` of a line that starts at `line`.
std::string_view before(std::string_view text, std::size_t line, std::size_t at) {
  if (at - line > kBeside) line = glyph_start(text, at - kBeside);
  return text.substr(line, at - line);
}

/// The start of the line behind the byte `at`.
std::string_view behind(std::string_view text, std::size_t at) {
  const std::string_view tail = text.substr(at, kBeside);
  return tail.substr(0, tail.find('\n'));
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

/// Drops the lines that stay as they are.
void drop_common(FixPreview& change) {
  auto& [line, focus, removed, added] = change;
  while (!removed.empty() && !added.empty() && removed.back() == added.back()) {
    removed.pop_back();
    added.pop_back();
  }
  const auto differ = std::mismatch(removed.begin(), removed.end(), added.begin(), added.end());
  if (differ.first == removed.begin()) return;
  line += static_cast<std::uint32_t>(differ.first - removed.begin());
  focus = 0;
  removed.erase(removed.begin(), differ.first);
  added.erase(added.begin(), differ.second);
}

bool is_blank(const std::vector<std::string>& lines) {
  return lines.size() == 1 && lines.front().empty();
}

}  // namespace

FixPreview preview(const Fix& fix, const SourceMap& sources) {
  const std::string_view text = sources.text(fix.span.file);
  const std::size_t begin = std::min<std::size_t>(fix.span.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(fix.span.end, begin, text.size());
  FixPreview change;
  if (end - begin > kLargest || fix.replacement.size() > kLargest) return change;
  change.line = sources.position(fix.span.file, static_cast<std::uint32_t>(begin)).line;
  const char* line = sources.line(fix.span.file, change.line).data();
  const std::string head(before(text, static_cast<std::size_t>(line - text.data()), begin));
  const std::string tail(behind(text, end));
  change.focus = head.size();
  change.removed = split(head + std::string(text.substr(begin, end - begin)) + tail);
  change.added = split(head + fix.replacement + tail);
  drop_common(change);
  // Text added at the very end of a file replaces no line.
  if (is_blank(change.removed)) change.removed.clear();
  if (is_blank(change.added)) change.added.clear();
  if (!change.added.empty() && change.added.back().empty()) change.added.pop_back();
  return change;
}

}  // namespace trainyard
