#include "diag/fix_preview.h"

#include <algorithm>
#include <string_view>

#include "diag/glyph.h"
#include "source/characters.h"

namespace trainyard {
namespace {

constexpr std::size_t kLargest = 16 * 1024;
constexpr std::size_t kBeside = 2000;  // more bytes than a window of 400 code points shows

/// Where what is shown before the byte `at` starts, on a line that starts at `line`.
std::size_t start_before(std::string_view text, std::size_t line, std::size_t at) {
  return at - line > kBeside ? glyph_start(text, at - kBeside) : line;
}

/// Where what is shown behind the byte `at`, on its line, ends.
std::size_t end_behind(std::string_view text, std::size_t at) {
  const std::string_view tail = text.substr(at, kBeside);
  return at + std::min(tail.find('\n'), tail.size());
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

/// A text that needs no escapes in quotes, and that YAML reads as a text without them.
bool is_word(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  if (text == "true" || text == "false" || text == "null") return false;
  return text.find_first_of("\"'\\\n") == std::string_view::npos;
}

}  // namespace

std::string new_text(const Fix& fix, const SourceMap& sources) {
  if (!fix.span.known() || !is_word(fix.replacement)) return fix.replacement;
  const std::string_view old = sources.text(fix.span);
  const bool quoted =
      old.size() > 1 && (old.front() == '"' || old.front() == '\'') && old.back() == old.front();
  return quoted ? old.front() + fix.replacement + old.back() : fix.replacement;
}

FixPreview preview(const Fix& fix, const SourceMap& sources, const Redaction& redaction) {
  const std::string_view text = sources.text(fix.span.file);
  const std::size_t begin = std::min<std::size_t>(fix.span.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(fix.span.end, begin, text.size());
  FixPreview change;
  if (end - begin > kLargest || fix.replacement.size() > kLargest) return change;
  change.line = sources.position(fix.span.file, static_cast<std::uint32_t>(begin)).line;
  const char* line = sources.line(fix.span.file, change.line).data();
  const std::size_t first = start_before(text, static_cast<std::size_t>(line - text.data()), begin);
  const auto shown = [&](std::size_t from, std::size_t to) {
    return redaction.source(fix.span.file, {from, to}).text;
  };
  const std::string head = shown(first, begin);
  const std::string tail = shown(end, end_behind(text, end));
  change.focus = head.size();
  change.removed = split(head + shown(begin, end) + tail);
  change.added = split(head + redaction.words(new_text(fix, sources)) + tail);
  drop_common(change);
  // Text added at the very end of a file replaces no line.
  if (is_blank(change.removed)) change.removed.clear();
  if (is_blank(change.added)) change.added.clear();
  if (!change.added.empty() && change.added.back().empty()) change.added.pop_back();
  return change;
}

}  // namespace trainyard
