#include "tree/integer_text.h"

#include <algorithm>

#include "source/characters.h"

namespace trainyard {
namespace {

__extension__ typedef unsigned __int128 Wide;

std::size_t digits_at(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - from;
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

std::string without_underscores(std::string_view text) {
  std::string result(text);
  std::erase(result, '_');
  return result;
}

/// "-" and "+" come off the front of `text`; true for "-".
bool take_sign(std::string_view& text) {
  if (!text.starts_with('-') && !text.starts_with('+')) return false;
  const bool negative = text.front() == '-';
  text.remove_prefix(1);
  return negative;
}

std::string_view without_leading_zeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

std::optional<Wide> parse_base(std::string_view digits, unsigned base) {
  if (digits.empty()) return std::nullopt;
  Wide value = 0;
  for (char c : digits) {
    const int digit = digit_value(c);
    if (digit >= static_cast<int>(base)) return std::nullopt;
    if (value > (~Wide{0} - static_cast<Wide>(digit)) / base) return std::nullopt;
    value = value * base + static_cast<Wide>(digit);
  }
  return value;
}

std::string decimal(Wide value) {
  std::string result;
  do {
    result += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(result.begin(), result.end());
  return result;
}

bool has_prefix(std::string_view text, char letter) {
  return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == letter;
}

std::optional<std::string> magnitude(std::string_view text) {
  std::optional<Wide> value;
  if (has_prefix(text, 'x')) {
    value = parse_base(text.substr(2), 16);
  } else if (has_prefix(text, 'o')) {
    value = parse_base(text.substr(2), 8);
  } else if (has_prefix(text, 'b')) {
    value = parse_base(text.substr(2), 2);
  } else if (text.size() > 1 && text[0] == '0') {
    value = parse_base(text, 8);
  }
  if (value) return decimal(*value);
  if (text.empty() || digits_at(text, 0) != text.size()) return std::nullopt;
  return std::string(without_leading_zeros(text));
}

std::optional<std::string> special_float(std::string_view text, bool negative) {
  if (text == ".inf" || text == ".Inf" || text == ".INF") return negative ? "-.inf" : ".inf";
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return ".nan";
  return std::nullopt;
}

/// `e+3` of "e3", "E+03"; "" of ""; nothing when malformed.
std::optional<std::string> canonical_exponent(std::string_view text) {
  if (text.empty()) return "";
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool negative = take_sign(text);
  if (text.empty() || digits_at(text, 0) != text.size()) return std::nullopt;
  std::string result = negative ? "e-" : "e+";
  return result.append(without_leading_zeros(text));
}

}  // namespace

bool is_canonical_int(std::string_view text) {
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    if (text == "0") return false;
  }
  if (text.empty() || digits_at(text, 0) != text.size()) return false;
  return text.size() == 1 || text.front() != '0';
}

std::optional<std::string> canonical_int(std::string_view text) {
  if (is_canonical_int(text)) return std::string(text);
  const std::string digits = without_underscores(text);
  std::string_view rest = digits;
  const bool negative = take_sign(rest);
  auto result = magnitude(rest);
  if (result && negative && *result != "0") result->insert(0, 1, '-');
  return result;
}

bool is_canonical_float(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = digits_at(text, 0);
  if (whole == 0 || (whole > 1 && text.front() == '0')) return false;
  if (whole == text.size() || text[whole] != '.') return false;
  const std::size_t fraction = digits_at(text, whole + 1);
  if (fraction == 0) return false;
  const std::string_view exponent = text.substr(whole + 1 + fraction);
  if (exponent.empty()) return true;
  if (exponent.size() < 3 || exponent[0] != 'e') return false;
  if (exponent[1] != '+' && exponent[1] != '-') return false;
  if (digits_at(exponent, 2) != exponent.size() - 2) return false;
  return exponent.size() == 3 || exponent[2] != '0';
}

std::optional<std::string> canonical_float(std::string_view text) {
  if (is_canonical_float(text)) return std::string(text);
  const std::string digits = without_underscores(text);
  std::string_view rest = digits;
  const bool negative = take_sign(rest);
  if (auto special = special_float(rest, negative)) return special;

  const std::size_t whole = digits_at(rest, 0);
  std::string_view fraction;
  std::size_t end = whole;
  if (whole < rest.size() && rest[whole] == '.') {
    fraction = rest.substr(whole + 1, digits_at(rest, whole + 1));
    end = whole + 1 + fraction.size();
  }
  if (whole == 0 && fraction.empty()) return std::nullopt;
  const auto exponent = canonical_exponent(rest.substr(end));
  if (!exponent) return std::nullopt;

  std::string result = negative ? "-" : "";
  result.append(whole == 0 ? std::string_view("0") : without_leading_zeros(rest.substr(0, whole)));
  result.append(".").append(fraction.empty() ? std::string_view("0") : fraction);
  return result.append(*exponent);
}

}  // namespace trainyard
