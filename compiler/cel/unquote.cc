#include <optional>

#include "cel/code_points.h"
#include "cel/lexer.h"
#include "source/characters.h"

namespace trainyard::cel {
namespace {

std::optional<char> simple_escape(char c) {
  constexpr std::string_view letters = "abfnrtv\\\"'`?";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\\"'`?";
  const std::size_t at = letters.find(c);
  if (at == letters.npos) return std::nullopt;
  return meanings[at];
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// `count` digits at the front of `text`.
std::optional<char32_t> digits(std::string_view text, std::size_t count, int base) {
  if (text.size() < count) return std::nullopt;
  char32_t value = 0;
  for (char c : text.substr(0, count)) {
    if (digit_value(c) >= base) return std::nullopt;
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit_value(c));
  }
  return value;
}

struct NumericEscape {
  std::size_t letter;  // 1 when a letter stands before the digits
  std::size_t count;
  int base;
};

std::optional<NumericEscape> numeric_escape(char c, bool bytes) {
  if (c == 'x' || c == 'X') return NumericEscape{1, 2, 16};
  if (c >= '0' && c <= '3') return NumericEscape{0, 3, 8};
  if (bytes) return std::nullopt;
  if (c == 'u') return NumericEscape{1, 4, 16};
  if (c == 'U') return NumericEscape{1, 8, 16};
  return std::nullopt;
}

bool is_scalar(char32_t c) {
  return c < 0xd800 || (c >= 0xe000 && c <= 0x10ffff);
}

/// Reads the escape at the front of `text`, behind the backslash. Its length, or 0.
std::size_t escape(std::string_view text, bool bytes, std::string& out) {
  if (text.empty()) return 0;
  if (const auto c = simple_escape(text[0])) {
    out += *c;
    return 1;
  }
  const auto form = numeric_escape(text[0], bytes);
  if (!form) return 0;
  const auto value = digits(text.substr(form->letter), form->count, form->base);
  if (!value) return 0;
  if (bytes) {
    out += static_cast<char>(*value);
  } else if (!is_scalar(*value)) {
    return 0;
  } else {
    append_utf8(*value, out);
  }
  return form->letter + form->count;
}

}  // namespace

bool unquote(std::string_view literal, bool bytes, std::string& out) {
  out.clear();
  const std::size_t prefix = literal.find_first_of("'\"");
  const bool raw = literal.substr(0, prefix).find_first_of("rR") != literal.npos;
  literal.remove_prefix(prefix);
  const bool triple = literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0];
  const std::size_t quotes = triple ? 3 : 1;
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  while (!literal.empty()) {
    const char c = literal[0];
    literal.remove_prefix(1);
    if (c == '\r' && triple) {  // lines end alike, whatever wrote them
      if (!literal.starts_with('\n')) out += '\n';
    } else if (c != '\\' || raw) {
      out += c;
    } else {
      const std::size_t size = escape(literal, bytes, out);
      if (size == 0) {
        out = "an escape sequence that does not exist";
        return false;
      }
      literal.remove_prefix(size);
    }
  }
  return true;
}

}  // namespace trainyard::cel
