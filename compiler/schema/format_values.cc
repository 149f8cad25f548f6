#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "schema/format_parsers.h"
#include "schema/formats.h"
#include "source/characters.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
int digit(char c) {
  return c - '0';
}

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}

/// Two digits as a number, -1 for anything else.
int two_digits(std::string_view text) {
  if (text.size() != 2 || !all_digits(text)) return -1;
  return digit(text[0]) * 10 + digit(text[1]);
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

std::string without_space_and_minus(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (!is_space(c) && c != '-') result += c;
  }
  return result;
}

/// Skips decimal digits; how many there were.
std::size_t skip_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

/// The size of the letters at the start; the micro signs count as letters.
std::size_t unit_size(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_letter(text[at])) {
      ++at;
    } else if (text.substr(at).starts_with("\xc2\xb5") || text.substr(at).starts_with("\xce\xbc")) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

/// A unit of time as Go or Scala writes it; of the long forms a beginning is enough to match.
bool is_time_unit(std::string_view unit) {
  constexpr std::array<std::string_view, 12> words = {
      "ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "m", "h", "hr", "d", "w", "wk"};
  constexpr std::array<std::string_view, 8> stems = {"nano", "micro", "milli", "sec",
                                                     "min",  "hour",  "day",   "week"};
  const std::string lower = lower_case(unit);
  return std::ranges::find(words, lower) != words.end() ||
         std::ranges::any_of(stems, [&](std::string_view s) { return lower.starts_with(s); });
}

}  // namespace

bool is_quantity(std::string_view text) {
  return Quantity::parse(text).has_value();
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int century = two_digits(text.substr(0, 2));
  const int year = two_digits(text.substr(2, 2));
  const int month = two_digits(text.substr(5, 2));
  const int day = two_digits(text.substr(8, 2));
  if (century < 0 || year < 0 || month < 1 || month > 12) return false;
  return day >= 1 && day <= days_in(century * 100 + year, month);
}

bool is_date_time(std::string_view text) {
  if (text.size() < 20 || !is_date(text.substr(0, 10))) return false;
  if (text[10] != 'T' && text[10] != 't') return false;
  std::string_view time = text.substr(11);
  const int hour = two_digits(time.substr(0, 2));
  const int minute = two_digits(time.substr(3, 2));
  const int second = two_digits(time.substr(6, 2));
  if (time[2] != ':' || time[5] != ':') return false;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  time.remove_prefix(8);
  if (time.size() > 1 && time.front() != 'Z' && time.front() != 'z' && time.front() != '+' &&
      time.front() != '-') {
    time.remove_prefix(1);
    if (skip_digits(time) == 0) return false;
  }
  if (time == "Z" || time == "z") return true;
  return time.size() == 6 && (time[0] == '+' || time[0] == '-') && time[3] == ':' &&
         two_digits(time.substr(1, 2)) >= 0 && two_digits(time.substr(4, 2)) >= 0;
}

bool is_duration(std::string_view text) {
  if (text == "0" || text == "+0" || text == "-0") return true;
  // strfmt takes any text that holds a number with a unit: `about 3 days`.
  bool found = false;
  while (!text.empty()) {
    if (!is_digit(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    const std::size_t size = unit_size(text);
    if (size > 0 && error != std::errc()) return false;
    found = found || (size > 0 && is_time_unit(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return found;
}

bool is_base64(std::string_view text) {
  return !text.empty() && text.find_first_of("\r\n") == std::string_view::npos &&
         is_encoded_bytes(text);
}

bool is_encoded_bytes(std::string_view text) {
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
    } else if (padding > 0 || !(is_letter(c) || is_digit(c) || c == '+' || c == '/')) {
      return false;
    } else {
      ++digits;
    }
  }
  return padding <= 2 && (digits + padding) % 4 == 0;
}

bool is_isbn10(std::string_view text) {
  const std::string digits = without_space_and_minus(text);
  if (digits.size() != 10 || !all_digits(std::string_view(digits).substr(0, 9))) return false;
  if (digits[9] != 'X' && !is_digit(digits[9])) return false;
  int sum = 10 * (digits[9] == 'X' ? 10 : digit(digits[9]));
  for (int i = 0; i < 9; ++i) sum += (i + 1) * digit(digits[static_cast<std::size_t>(i)]);
  return sum % 11 == 0;
}

bool is_isbn13(std::string_view text) {
  const std::string digits = without_space_and_minus(text);
  if (digits.size() != 13 || !all_digits(digits)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * digit(digits[i]);
  return digit(digits[12]) == (10 - sum % 10) % 10;
}

bool is_credit_card(std::string_view text, Patterns& patterns) {
  constexpr std::string_view issuers =
      "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
      "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$";
  std::string digits;
  for (char c : text) {
    if (is_digit(c)) digits += c;
  }
  if (patterns.match(issuers, digits) != Patterns::Result::Match) return false;
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int value = digit(digits[digits.size() - 1 - i]) * (i % 2 == 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 == 0;
}

}  // namespace trainyard
