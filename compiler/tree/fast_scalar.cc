// Plain and quoted scalars of one line.

#include <algorithm>
#include <array>

#include "source/text_scan.h"
#include "tree/fast_reader.h"
#include "tree/plain_value.h"
#include "tree/yaml_escapes.h"

namespace trainyard {
namespace {

/// What a character is to a plain scalar.
enum Class : unsigned char {
  kNoStart = 1,  // cannot be its first character
  kFlowStop = 2  // has to be looked at inside of it, in a flow collection
};

constexpr auto kClasses = [] {
  std::array<unsigned char, 256> table{};
  const auto mark = [&table](std::string_view characters, unsigned char bits) {
    for (char c : characters) table[static_cast<unsigned char>(c)] |= bits;
  };
  mark(std::string_view(" \t\n\0,[]{}#&*!|>'\"%@`?:", 23), kNoStart);
  mark(":#\n\t?,[]{}", kFlowStop);
  return table;
}();

bool is(char c, unsigned char bits) {
  return (kClasses[static_cast<unsigned char>(c)] & bits) != 0;
}

}  // namespace

/// Where a plain scalar ends at the latest: at the end of its line, a comment or the colon of a
/// key.
bool FastReader::plain_stop(std::size_t from, std::size_t& stop) const {
  std::size_t i = find_plain_stop(text_, from);
  for (; i < text_.size(); i = find_plain_stop(text_, i + 1)) {
    if (text_[i] == '\n') break;
    if (text_[i] == '\t') return false;
    if (text_[i] == ':' ? ends_word(i + 1) : text_[i - 1] == ' ') break;
  }
  stop = i;
  return true;
}

/// Up to the end of the line, or the blank before a comment, or the colon after a key.
bool FastReader::plain(Scalar& scalar) {
  const std::size_t begin = at_;
  if (is(here(), kNoStart) || at_dash()) return false;
  if (here() == '-' && text_.substr(at_, 3) == "---") return false;
  std::size_t stop = 0;
  if (!plain_stop(begin + 1, stop)) return false;
  std::size_t end = stop;
  while (text_[end - 1] == ' ') --end;
  at_ = at(stop) == '#' ? end : stop;
  scalar = {begin, end, text_.substr(begin, end - begin), Style::Plain};
  return true;
}

bool FastReader::plain_in_flow(Scalar& scalar) {
  const std::size_t begin = at_;
  const char second = at(begin + 1);
  if (is(here(), kNoStart)) return false;
  if (here() == '-' && (ends_word(begin + 1) || is(second, kFlowStop))) return false;
  std::size_t i = begin + 1;
  for (; i < text_.size(); ++i) {
    const char c = text_[i];
    if (!is(c, kFlowStop)) continue;
    if (c == ',' || c == ']' || c == '}' || c == '\n') break;
    if (c == ':') {
      if (ends_word(i + 1)) break;
      if (is(at(i + 1), kFlowStop)) return false;
    } else if (c != '#' || text_[i - 1] == ' ') {
      return false;
    }
  }
  at_ = i;
  while (text_[i - 1] == ' ') --i;
  scalar = {begin, i, text_.substr(begin, i - begin), Style::Plain};
  return true;
}

bool FastReader::quoted(Scalar& scalar) {
  return here() == '"' ? double_quoted(scalar) : single_quoted(scalar);
}

bool FastReader::single_quoted(Scalar& scalar) {
  const std::size_t begin = at_;
  bool doubled = false;
  std::size_t i = begin + 1;
  for (;; ++i) {
    if (i >= text_.size() || text_[i] == '\n') return false;
    if (text_[i] != '\'') continue;
    if (at(i + 1) != '\'') break;
    doubled = true;
    ++i;
  }
  std::string_view inner = text_.substr(begin + 1, i - begin - 1);
  if (doubled) {
    char* const out = tree_->arena().allocate(inner.size());
    char* end = out;
    for (std::size_t j = 0; j < inner.size(); ++j) {
      *end++ = inner[j];
      if (inner[j] == '\'') ++j;
    }
    inner = {out, static_cast<std::size_t>(end - out)};
  }
  at_ = i + 1;
  scalar = {begin, at_, inner, Style::SingleQuoted};
  return true;
}

bool FastReader::double_quoted(Scalar& scalar) {
  const std::size_t begin = at_;
  bool escapes = false;
  std::size_t i = begin + 1;
  for (;; ++i) {
    if (i >= text_.size() || text_[i] == '\n') return false;
    if (text_[i] == '"') break;
    if (text_[i] != '\\') continue;
    escapes = true;
    if (unescape(at(++i)) == '\0') return false;
  }
  std::string_view inner = text_.substr(begin + 1, i - begin - 1);
  if (escapes) {
    char* const out = tree_->arena().allocate(inner.size());
    char* end = out;
    for (std::size_t j = 0; j < inner.size(); ++j) {
      *end++ = inner[j] == '\\' ? unescape(inner[++j]) : inner[j];
    }
    inner = {out, static_cast<std::size_t>(end - out)};
  }
  at_ = i + 1;
  scalar = {begin, at_, inner, Style::DoubleQuoted};
  return true;
}

bool FastReader::add_scalar(const Scalar& scalar, NodeId& node) {
  if (!add(Kind::String, scalar.style, scalar.begin, node)) return false;
  Node& added = (*tree_)[node];
  added.span.end = static_cast<std::uint32_t>(scalar.end);
  added.text = scalar.text;
  if (scalar.style != Style::Plain) return true;
  const PlainScalar meaning = classify_plain(scalar.text);
  if (meaning.ambiguous() && input_.ambiguity == Ambiguity::Refuse) return false;
  if (meaning.kubernetes != Kind::String) {
    set_plain_value(added, scalar.text, meaning.kubernetes, tree_->arena());
  }
  return true;
}

/// The text of a key as it is in the tree.
bool FastReader::key_text(const Scalar& key, std::string_view& text) {
  text = key.text;
  if (key.style != Style::Plain) return true;
  const PlainScalar meaning = classify_plain(key.text);
  if (meaning.special == Special::Merge || meaning.kubernetes == Kind::Null) return false;
  if (meaning.ambiguous() && input_.ambiguity == Ambiguity::Refuse) return false;
  if (meaning.kubernetes == Kind::String) return true;
  Node value;
  set_plain_value(value, key.text, meaning.kubernetes, tree_->arena());
  text = value.text;
  return true;
}

}  // namespace trainyard
