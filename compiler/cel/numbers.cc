#include "cel/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "source/characters.h"
#include "source/number_text.h"

namespace trainyard::cel {
namespace {

constexpr std::size_t kLongest = 400;  // of a double with a few dozen digits behind the point

std::string infinite_text(double number) {
  if (std::isnan(number)) return "NaN";
  return number > 0 ? "+Inf" : "-Inf";
}

}  // namespace

std::string double_text(double number) {
  if (!std::isfinite(number)) return infinite_text(number);
  std::array<char, kLongest> buffer;
  char* const end = buffer.data() + buffer.size();
  auto written = std::to_chars(buffer.data(), end, number, std::chars_format::scientific);
  const std::string_view scientific(buffer.data(),
                                    static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::string_view exponent = scientific.substr(scientific.find('e') + 1);
  int power = 0;
  std::from_chars(exponent.data() + 1, exponent.data() + exponent.size(), power);
  if (exponent[0] == '-') power = -power;
  if (power < -4 || power >= 6) return std::string(scientific);
  written = std::to_chars(buffer.data(), end, number, std::chars_format::fixed);
  return {buffer.data(), written.ptr};
}

std::string fixed_text(double number, int precision) {
  if (!std::isfinite(number)) return infinite_text(number);
  std::array<char, kLongest + 1100> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                     std::chars_format::fixed, precision);
  return written.ec == std::errc() ? std::string(buffer.data(), written.ptr) : "";
}

std::string scientific_text(double number, int precision) {
  if (!std::isfinite(number)) return infinite_text(number);
  std::array<char, kLongest + 1100> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                     std::chars_format::scientific, precision);
  return written.ec == std::errc() ? std::string(buffer.data(), written.ptr) : "";
}

std::optional<double> parse_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string word = lower_case(text);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "inf" || word == "infinity") return negative ? -kInfinity : kInfinity;
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool digit = !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '.');
  if (!digit) return std::nullopt;
  const auto number = read_number<double>(text);
  return number && negative ? -*number : number;
}

}  // namespace trainyard::cel
