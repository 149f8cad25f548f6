#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "source/arena.h"
#include "tree/scalar.h"
#include "tree/tree.h"

namespace trainyard {

/// What an unquoted text may be by its first character, to go-yaml and PyYAML.
enum class PlainStart : std::uint8_t { String, Word, Other };
inline constexpr auto kPlainStarts = [] {
  std::array<PlainStart, 256> table{};
  for (char c : std::string_view("yYnNtTfFoO")) {
    table[static_cast<unsigned char>(c)] = PlainStart::Word;
  }
  for (char c : std::string_view("~<=0123456789+-.")) {
    table[static_cast<unsigned char>(c)] = PlainStart::Other;
  }
  return table;
}();

/// Whether a word of YAML may go on so: `yes`, `no`, `null`, `true`, `false`, `on` and `off`. Most
/// other words, such as `name` and `type`, differ from them by two letters.
inline bool is_second_letter(char first, char second) {
  const auto lower = [](char c) { return static_cast<char>(c | 0x20); };
  const char next = lower(second);
  switch (lower(first)) {
    case 'y':
      return next == 'e';
    case 'n':
      return next == 'o' || next == 'u';
    case 't':
      return next == 'r';
    case 'f':
      return next == 'a';
    default:
      return next == 'n' || next == 'f';
  }
}

/// Whether an unquoted text is a string to all readers, at a glance: what most texts are.
inline bool is_plainly_string(std::string_view text) {
  constexpr std::size_t kLongestWord = 5;  // `false`
  if (text.empty()) return false;
  const PlainStart start = kPlainStarts[static_cast<unsigned char>(text[0])];
  if (start != PlainStart::Word) return start == PlainStart::String;
  return text.size() > kLongestWord || (text.size() > 1 && !is_second_letter(text[0], text[1]));
}

/// Makes `node` the value that an unquoted `text` is to Kubernetes: its kind, and its text in the
/// form that the kind has.
inline void set_plain_value(Node& node, std::string_view text, Kind kind, Arena& arena) {
  node.kind = kind;
  node.text = text;
  switch (kind) {
    case Kind::Null:
      node.text = {};
      break;
    case Kind::Bool:
      node.text = true_word(text) ? "true" : "false";
      break;
    case Kind::Int:
      node.text = decimal_text(text, arena);
      break;
    case Kind::Float:
      node.text = float_text(text, arena);
      break;
    default:
      break;
  }
}

}  // namespace trainyard
