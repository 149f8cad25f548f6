// Plain and quoted scalars of several lines: a line break is a space, or nothing after a backslash,
// and a number of blank lines as many line breaks.

#include "source/text_scan.h"
#include "tree/fast_reader.h"
#include "tree/yaml_escapes.h"

namespace trainyard {

bool FastReader::value_scalar(long parent, Scalar& scalar) {
  const char c = here();
  if (c == '"' || c == '\'') return quoted(scalar) || quoted_lines(parent, scalar);
  return plain(scalar) && (here() != '\n' || plain_lines(parent, scalar));
}

/// From a line break to the text of the next line that is not blank, adding what lies between to
/// the folded text. False when none is left that belongs to the collection at column `parent`.
bool FastReader::next_text_line(long parent, std::size_t& at) {
  std::size_t breaks = 0;
  std::size_t line = at;
  while (this->at(at) == '\n') {
    ++breaks;
    line = ++at;
    while (this->at(at) == ' ') ++at;
  }
  const bool belongs = parent != kEnd && static_cast<long>(at - line) > parent;
  if (at >= text_.size() || !belongs) return false;
  if (breaks == 1) folded_ += ' ';
  folded_.append(breaks - 1, '\n');
  return true;
}

/// Goes on with a plain scalar at the end of its first line. Whatever is deeper than the collection
/// around it belongs to it, unless it is a comment.
bool FastReader::plain_lines(long parent, Scalar& scalar) {
  // Nearly always the next line has something else, and that is seen by its indentation.
  const std::size_t line = at_ + 1;
  const std::size_t first = after_spaces(text_, line);
  if (parent == kEnd || first == text_.size()) return true;
  if (text_[first] != '\n' && static_cast<long>(first - line) <= parent) return true;
  folded_.assign(scalar.text);
  std::size_t next = at_;
  if (!next_text_line(parent, next)) return true;
  while (at(next) != '#') {
    std::size_t stop = 0;
    if (!plain_stop(next, stop) || at(stop) == ':') return false;
    std::size_t end = stop;
    while (text_[end - 1] == ' ') --end;
    folded_ += text_.substr(next, end - next);
    scalar.text = {};
    scalar.end = at_ = end;
    next = stop;
    const std::size_t so_far = folded_.size();
    if (at(stop) == '#' || !next_text_line(parent, next)) break;
    if (at(next) == '#') folded_.resize(so_far);
  }
  if (scalar.text.empty()) scalar.text = tree_->intern(folded_);
  return true;
}

/// A quoted scalar that does not end in its line. It is no key.
bool FastReader::quoted_lines(long parent, Scalar& scalar) {
  const std::size_t begin = at_;
  const char quote = here();
  folded_.clear();
  std::size_t kept = 0;  // blanks after it are dropped at the end of a line
  for (std::size_t i = begin + 1;;) {
    const char c = at(i);
    if (c == '\0' || c == '\t') return false;
    const bool joined = quote == '"' && c == '\\' && at(i + 1) == '\n';
    if (c == '\n' || joined) {
      if (joined) {
        ++i;  // the blanks before the backslash stay
      } else {
        folded_.resize(kept);
      }
      if (!next_text_line(parent, i) || at(i) == '\t') return false;
      // Blank lines before the end are understood differently.
      if (folded_.back() == '\n' && at(i) == quote) return false;
      if (joined && folded_.back() == ' ') folded_.pop_back();
      kept = folded_.size();
      continue;
    }
    if (c == quote && (quote == '"' || at(i + 1) != '\'')) {
      at_ = i + 1;
      break;
    }
    if (c == '\'' && quote == '\'') ++i;
    if (c == '\\' && quote == '"') {
      const char made = unescape(at(++i));
      if (made == '\0') return false;
      folded_ += made;
    } else {
      folded_ += c;
    }
    ++i;
    if (c != ' ') kept = folded_.size();
  }
  if (here() == ':') return false;
  scalar = {begin, at_, tree_->intern(folded_),
            quote == '"' ? Style::DoubleQuoted : Style::SingleQuoted};
  return true;
}

}  // namespace trainyard
