#include "tree/anchored_text.h"

#include <algorithm>

namespace trainyard {
namespace {

std::size_t end_of_line(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::size_t begin_of_line(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  return before == text.npos ? 0 : before + 1;
}

/// `|`, `>-`, `|+ # comment`
bool is_header(std::string_view rest) {
  if (rest.empty() || (rest.front() != '|' && rest.front() != '>')) return false;
  rest.remove_prefix(1);
  rest.remove_prefix(std::min(rest.find_first_not_of("+-"), rest.size()));
  const std::size_t end = rest.find_first_not_of(" \t\r");
  return end == rest.npos || (end > 0 && rest[end] == '#');
}

/// An entry of a list that is a block text with an anchor.
struct Entry {
  std::size_t dash = 0;  // columns
  std::size_t anchor = 0;
};

std::optional<Entry> entry_of(std::string_view line) {
  Entry entry;
  std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  if (!line.substr(at).starts_with("- ")) return std::nullopt;
  while (line.substr(at).starts_with("- ")) {
    entry.dash = at;
    at = std::min(line.find_first_not_of(' ', at + 1), line.size());
  }
  entry.anchor = at;
  if (at == line.size() || line[at] != '&') return std::nullopt;
  at = std::min(line.find(' ', at), line.size());
  at = std::min(line.find_first_not_of(' ', at), line.size());
  return is_header(line.substr(at)) ? std::optional(entry) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> AnchoredText::find_before(std::size_t at, std::size_t begin) const {
  std::size_t line = begin_of_line(text_, at);
  std::size_t first = text_.npos;  // the column of the first line of the text
  for (std::size_t next = end_of_line(text_, line) + 1; next < text_.size();) {
    // The parser may have stopped at the entry itself.
    const std::size_t end = end_of_line(text_, next);
    const std::size_t content = text_.substr(next, end - next).find_first_not_of(" \r");
    if (content != text_.npos) {
      first = content;
      break;
    }
    next = end + 1;
  }
  for (;;) {
    const std::string_view words = text_.substr(line, end_of_line(text_, line) - line);
    if (const auto entry = entry_of(words)) {
      const bool stands_left =
          first != text_.npos && first > entry->dash + 1 && first <= entry->anchor;
      const std::size_t anchor = line + entry->anchor;
      const bool is_moved = std::ranges::find(moves_, anchor, &Move::anchor) != moves_.end();
      return stands_left && !is_moved ? std::optional(anchor) : std::nullopt;
    }
    const std::size_t content = words.find_first_not_of(" \r");
    if (content == 0 || line <= begin) return {};
    if (content != words.npos) first = content;
    line = begin_of_line(text_, line - 1);
  }
}

void AnchoredText::move(std::size_t anchor) {
  const std::size_t line = begin_of_line(text_, anchor);
  const auto entry = entry_of(text_.substr(line, end_of_line(text_, line) - line));
  if (!entry) return;
  // A break, and blanks up to the column behind the dash.
  moves_.push_back({anchor, entry->dash + 2});
  std::ranges::sort(moves_, {}, &Move::anchor);
  given_.clear();
  std::size_t from = 0;
  for (const Move& each : moves_) {
    given_.append(text_.substr(from, each.anchor - from));
    given_ += '\n';
    given_.append(each.size - 1, ' ');
    from = each.anchor;
  }
  given_.append(text_.substr(from));
}

std::size_t AnchoredText::place(std::size_t given) const {
  std::size_t added = 0;
  for (const Move& each : moves_) {
    const std::size_t begin = each.anchor + added;
    if (given < begin) break;
    if (given < begin + each.size) return each.anchor;
    added += each.size;
  }
  return given - added;
}

}  // namespace trainyard
