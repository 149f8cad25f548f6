// Literal block texts.

#include <algorithm>
#include <cstring>

#include "tree/fast_reader.h"

namespace trainyard {

bool FastReader::block_text(long parent, NodeId& node) {
  const std::size_t begin = at_;
  if (here() != '|' || parent == kEnd) return false;
  ++at_;
  const char chomp = here() == '-' || here() == '+' ? text_[at_++] : '\0';
  const std::size_t after_header = at_;
  skip_spaces();
  if (here() == '#' && at_ > after_header) at_ = std::min(text_.find('\n', at_), text_.size());
  if (here() != '\n') return false;
  ++at_;
  BlockLines lines;
  if (!block_lines(parent, lines)) return false;
  if (!add(Kind::String, Style::Literal, begin, node)) return false;
  Node& added = (*tree_)[node];
  added.span.end = static_cast<std::uint32_t>(lines.end);
  added.text = block_content(lines, chomp);
  return next_line();
}

/// Past the blank lines before the first one with content, whose indentation is that of the text.
bool FastReader::first_block_line(long parent, BlockLines& lines, std::size_t& line) {
  std::size_t widest = 0;
  for (line = at_;;) {
    const std::size_t first = std::min(text_.find_first_not_of(' ', line), text_.size());
    if (first == text_.size()) return false;
    if (text_[first] != '\n') {
      lines.indent = first - line;
      const bool deeper = static_cast<long>(lines.indent) > parent;
      return deeper && widest <= lines.indent && text_[first] != '\t';
    }
    widest = std::max(widest, first - line);
    line = first + 1;
    lines.single = false;
  }
}

/// From the cursor on; leaves it at the line break before the next line that is not of the text.
bool FastReader::block_lines(long parent, BlockLines& lines) {
  lines.begin = at_;
  std::size_t line = 0;
  if (!first_block_line(parent, lines, line)) return false;
  for (;;) {
    // A last line without a line break, and blank ones that are wider, are understood differently.
    const std::size_t end = text_.find('\n', line);
    if (end == text_.npos) break;
    const std::size_t margin = std::min(line + lines.indent, end);
    std::size_t first = line;
    while (first < margin && text_[first] == ' ') ++first;
    if (first == end) {
      ++lines.blanks;
    } else if (first - line < lines.indent) {
      at_ = line - 1;
      return true;
    } else {
      if (text_.find_first_not_of(" \t", first) == end) return false;
      if (lines.end != 0) lines.single = false;
      lines.end = end;
      lines.blanks = 0;
    }
    line = end + 1;
  }
  at_ = text_.size();
  return line == at_;
}

std::string_view FastReader::block_content(const BlockLines& lines, char chomp) {
  const std::size_t breaks = chomp == '-' ? 0 : chomp == '+' ? 1 + lines.blanks : 1;
  if (lines.single && breaks < 2) {
    const std::size_t begin = lines.begin + lines.indent;
    return text_.substr(begin, lines.end - begin + breaks);
  }
  char* const out = tree_->arena().allocate(lines.end - lines.begin + breaks);
  char* put = out;
  for (std::size_t line = lines.begin; line < lines.end;) {
    const std::size_t end = text_.find('\n', line);
    const std::size_t begin = std::min(line + lines.indent, end);
    std::memcpy(put, text_.data() + begin, end - begin);
    put += end - begin;
    *put++ = '\n';
    line = end + 1;
  }
  // There is one line break now; the room is enough for what else is wanted.
  if (breaks == 0) --put;
  for (std::size_t i = 1; i < breaks; ++i) *put++ = '\n';
  return {out, static_cast<std::size_t>(put - out)};
}

}  // namespace trainyard
