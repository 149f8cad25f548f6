#include "source/unescaped.h"

#include <algorithm>

#include "source/number_text.h"

namespace trainyard {
namespace {

struct Escape {
  std::size_t length;  // in the source, with the backslash; 0 when it stays as it is
  char meaning;        // '\0' for nothing at all
};

/// Two to eight hexadecimal digits behind the letter of an escape.
Escape by_number(std::string_view rest, std::size_t digits) {
  constexpr std::size_t kBefore = 2;
  constexpr int kBase = 16;
  if (rest.size() < kBefore + digits) return {0, 0};
  const unsigned code = read_number<unsigned>(rest.substr(kBefore, digits), kBase).value_or(0);
  const bool is_shown = code > ' ' && code <= '~' && code != '"' && code != '\\';
  if (!is_shown) return {0, 0};
  return {kBefore + digits, static_cast<char>(code)};
}

/// What the text means that starts with a backslash.
Escape escape_at(std::string_view rest) {
  if (rest.size() < 2) return {0, 0};
  switch (rest[1]) {
    case 'x':
      return by_number(rest, 2);
    case 'u':
      return by_number(rest, 4);
    case 'U':
      return by_number(rest, 8);
    case '/':
      return {2, '/'};
    case '\r':
    case '\n': {
      const std::size_t line = rest.find('\n', 1);
      if (line > 2) return {0, 0};
      return {std::min(rest.find_first_not_of(" \t", line + 1), rest.size()), '\0'};
    }
    default:
      return {0, 0};
  }
}

}  // namespace

std::optional<Unescaped> Unescaped::of(std::string_view source) {
  std::optional<Unescaped> result;
  std::size_t copied = 0;
  for (std::size_t at = source.find('\\'); at < source.size(); at = source.find('\\', at)) {
    const Escape escape = escape_at(source.substr(at));
    if (escape.length == 0) {
      at += 2;  // the next character may be a backslash, which then is none of an escape
      continue;
    }
    if (!result) result.emplace();
    result->text_ += source.substr(copied, at - copied);
    if (escape.meaning != '\0') {
      result->pieces_.push_back({result->text_.size(), at});
      result->text_ += escape.meaning;
    }
    at += escape.length;
    result->pieces_.push_back({result->text_.size(), at});
    copied = at;
  }
  if (result) result->text_ += source.substr(copied);
  return result;
}

std::size_t Unescaped::place_of(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(pieces_, offset, {}, &Piece::shown);
  const Piece& piece = *(behind - 1);
  return piece.source + (offset - piece.shown);
}

}  // namespace trainyard
