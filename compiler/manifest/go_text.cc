#include "manifest/go_text.h"

#include <array>

#include "source/characters.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};

// The longer name first where one begins with another.
constexpr auto kUnits = std::to_array<Unit>({{"ns", 1e-9},
                                             {"us", 1e-6},
                                             {"\xc2\xb5s", 1e-6},  // the micro sign
                                             {"\xce\xbcs", 1e-6},  // the letter mu
                                             {"ms", 1e-3},
                                             {"s", 1},
                                             {"m", 60},
                                             {"h", 3600}});

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<std::int64_t> go_integer(std::string_view text) {
  if (text.starts_with('+') && without_sign(text).starts_with('-')) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  return read_number(text);
}

std::optional<bool> go_bool(std::string_view text) {
  for (std::string_view word : {"1", "t", "T", "true", "True", "TRUE"}) {
    if (text == word) return true;
  }
  for (std::string_view word : {"0", "f", "F", "false", "False", "FALSE"}) {
    if (text == word) return false;
  }
  return std::nullopt;
}

std::optional<double> go_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  return read_number<double>(text);
}

std::optional<double> go_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  text = without_sign(text);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  double seconds = 0;
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && (is_digit(text[length]) || text[length] == '.')) ++length;
    const auto number = go_number(text.substr(0, length));
    if (!number) return std::nullopt;
    text.remove_prefix(length);
    const Unit* unit = nullptr;
    for (const Unit& each : kUnits) {
      if (unit == nullptr && text.starts_with(each.name)) unit = &each;
    }
    if (unit == nullptr) return std::nullopt;
    text.remove_prefix(unit->name.size());
    if (!text.empty() && !is_digit(text.front()) && text.front() != '.') return std::nullopt;
    seconds += *number * unit->seconds;
  }
  return negative ? -seconds : seconds;
}

}  // namespace trainyard
