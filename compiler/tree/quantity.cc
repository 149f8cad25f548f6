#include "tree/quantity.h"

#include <algorithm>
#include <limits>

#include "source/characters.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

using Format = Quantity::Format;
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

constexpr Wide kUnit = 1'000'000'000;
constexpr Wide kLargestBinary = Wide{std::numeric_limits<std::int64_t>::max()} * kUnit;
constexpr Wide kLargest = static_cast<Wide>(~UnsignedWide{0} >> 1);
constexpr int kLargestSuffix = 18;  // `E`

struct Suffix {
  std::string_view text;
  Format format;
  int exponent;  // of ten, or of two for Binary
};

constexpr Suffix kSuffixes[] = {
    {"", Format::Decimal, 0},   {"n", Format::Decimal, -9}, {"u", Format::Decimal, -6},
    {"m", Format::Decimal, -3}, {"k", Format::Decimal, 3},  {"M", Format::Decimal, 6},
    {"G", Format::Decimal, 9},  {"T", Format::Decimal, 12}, {"P", Format::Decimal, 15},
    {"E", Format::Decimal, 18}, {"Ki", Format::Binary, 10}, {"Mi", Format::Binary, 20},
    {"Gi", Format::Binary, 30}, {"Ti", Format::Binary, 40}, {"Pi", Format::Binary, 50},
    {"Ei", Format::Binary, 60},
};

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

/// The parts of `[sign] whole [. fraction] suffix`.
struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view suffix;
  bool has_digits = false;
};

Parts split(std::string_view text) {
  Parts parts;
  if (text.starts_with('-') || text.starts_with('+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  parts.whole = take_digits(text);
  parts.has_digits = !parts.whole.empty();
  while (parts.whole.starts_with('0')) parts.whole.remove_prefix(1);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
    parts.has_digits = parts.has_digits || !parts.fraction.empty();
  }
  parts.suffix = text;
  return parts;
}

std::optional<Suffix> scientific(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  std::string_view digits = text.substr(1);
  if (digits.starts_with('+')) {
    digits.remove_prefix(1);
    if (digits.starts_with('-')) return std::nullopt;
  }
  const auto exponent = read_number<int>(digits);
  if (!exponent) return std::nullopt;
  return Suffix{text, Format::Exponent, *exponent};
}

std::optional<Suffix> find_suffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return suffix;
  }
  return scientific(text);
}

std::optional<Wide> times(Wide a, Wide b) {
  Wide result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<Wide> plus(Wide a, Wide b) {
  Wide result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<Wide> power(int base, int exponent) {
  std::optional<Wide> result = 1;
  for (int i = 0; i < exponent && result; ++i) result = times(*result, base);
  return result;
}

std::optional<Wide> integer(std::string_view digits) {
  std::optional<Wide> result = 0;
  for (char c : digits) {
    result = times(*result, 10);
    if (result) result = plus(*result, c - '0');
    if (!result) return std::nullopt;
  }
  return result;
}

bool all_zero(std::string_view digits) {
  return digits.find_first_not_of('0') == std::string_view::npos;
}

/// `0.fraction` times `unit`, rounded up. From the last digit to the first, so that what is lost
/// on the way matters only in being zero or not.
std::optional<Wide> scaled_fraction(std::string_view fraction, Wide unit) {
  if (all_zero(fraction)) return 0;
  if (unit > kLargest / 10) return std::nullopt;
  Wide result = 0;
  bool rest = false;
  for (auto digit = fraction.rbegin(); digit != fraction.rend(); ++digit) {
    const Wide sum = (*digit - '0') * unit + result;
    rest = rest || sum % 10 != 0;
    result = sum / 10;
  }
  return rest ? result + 1 : result;
}

/// The amount over ten to the power of `places`, rounded up.
std::optional<Wide> shifted_down(const Parts& parts, int places) {
  auto result = integer(parts.whole);
  if (!result) return std::nullopt;
  bool rest = !all_zero(parts.fraction);
  for (int i = 0; i < places && *result != 0; ++i) {
    rest = rest || *result % 10 != 0;
    *result /= 10;
  }
  return rest ? *result + 1 : *result;
}

/// Kubernetes takes a text without any digit, such as `Gi` or `-`, for zero, but only where its
/// fast way of reading suffices. What a server admits must not be refused here, so neither is that.
bool readable_without_digits(const Suffix& suffix) {
  return suffix.format == Format::Binary ? suffix.exponent <= 40 : suffix.exponent >= -9;
}

/// The size of the amount in billionths.
std::optional<Wide> magnitude(const Parts& parts, const Suffix& suffix) {
  if (parts.whole.empty() && all_zero(parts.fraction)) return 0;
  const bool binary = suffix.format == Format::Binary;
  if (!binary && suffix.exponent < -9) return shifted_down(parts, -9 - suffix.exponent);

  const auto scale = binary ? power(2, suffix.exponent) : power(10, suffix.exponent + 9);
  const auto unit = binary ? times(*scale, kUnit) : scale;
  if (!unit) return std::nullopt;
  const auto fraction = scaled_fraction(parts.fraction, *unit);
  const auto whole = integer(parts.whole);
  if (!whole || !fraction) return std::nullopt;
  const auto units = times(*whole, *unit);
  return units ? plus(*units, *fraction) : std::nullopt;
}

/// Nearly all that is written: a few digits, alone or with a binary suffix.
struct Common {
  Wide nano;
  Format format;
};

std::optional<Common> read_common(std::string_view text) {
  constexpr std::size_t kMostDigits = 6;  // so that no suffix takes them beyond the largest one
  std::int64_t whole = 0;
  std::size_t at = 0;
  for (; at < text.size() && at < kMostDigits && is_digit(text[at]); ++at) {
    whole = whole * 10 + (text[at] - '0');
  }
  if (whole == 0) return std::nullopt;
  if (at == text.size()) return Common{whole * kUnit, Format::Decimal};
  if (at + 2 != text.size() || text[at + 1] != 'i') return std::nullopt;
  constexpr std::string_view kLetters = "KMGT";
  const std::size_t letter = kLetters.find(text[at]);
  if (letter == std::string_view::npos) return std::nullopt;
  return Common{(Wide{whole} << (10 * (letter + 1))) * kUnit, Format::Binary};
}

/// A decimal mantissa with an exponent of ten that is a multiple of three.
struct Decimal {
  Wide mantissa;
  int exponent;
};

Decimal engineering(Wide nano) {
  const bool is_whole = nano % kUnit == 0;  // nearly all are
  Decimal result = is_whole ? Decimal{nano / kUnit, 0} : Decimal{nano, -9};
  while (result.mantissa % 10 == 0) {
    result.mantissa /= 10;
    ++result.exponent;
  }
  while (result.exponent % 3 != 0) {
    result.mantissa *= 10;
    --result.exponent;
  }
  return result;
}

std::string digits_of(Wide value) {
  const auto narrow = static_cast<std::int64_t>(value);
  if (narrow == value) return std::to_string(narrow);
  std::string result;
  const bool negative = value < 0;
  for (; value != 0; value /= 10) {
    const int digit = static_cast<int>(value % 10);
    result += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (negative) result += '-';
  std::reverse(result.begin(), result.end());
  return result;
}

std::string suffix_of(Format format, int exponent) {
  if (format == Format::Exponent) return exponent == 0 ? "" : "e" + std::to_string(exponent);
  const auto* found = std::find_if(
      std::begin(kSuffixes), std::end(kSuffixes),
      [&](const Suffix& suffix) { return suffix.format == format && suffix.exponent == exponent; });
  return std::string(found->text);
}

std::string decimal_text(Wide nano, Format format) {
  Decimal number = engineering(nano);
  while (format == Format::Decimal && number.exponent > kLargestSuffix) {
    number.mantissa *= 1000;
    number.exponent -= 3;
  }
  return digits_of(number.mantissa) + suffix_of(format, number.exponent);
}

std::string binary_text(Wide units) {
  int exponent = 0;
  while (units % 1024 == 0 && exponent < 60) {
    units /= 1024;
    exponent += 10;
  }
  return digits_of(units) + suffix_of(exponent == 0 ? Format::Decimal : Format::Binary, exponent);
}

}  // namespace

Quantity Quantity::of(std::int64_t units, Format format) {
  return {units * kUnit, format};
}

std::optional<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (const std::optional<Common> common = read_common(text)) {
    return Quantity(common->nano, common->format);
  }
  const Parts parts = split(text);
  const auto suffix = find_suffix(parts.suffix);
  if (!suffix) return std::nullopt;
  if (!parts.has_digits && !readable_without_digits(*suffix)) return std::nullopt;
  auto nano = magnitude(parts, *suffix);
  if (!nano) return std::nullopt;

  Format format = suffix->format;
  if (format == Format::Binary) {
    nano = std::min(*nano, kLargestBinary);
    if (*nano > 0 && *nano < kUnit) format = Format::Decimal;
  }
  return Quantity(parts.negative ? -*nano : *nano, format);
}

std::string Quantity::text() const {
  if (nano_ == 0) return "0";
  if (format_ != Format::Binary) return decimal_text(nano_, format_);
  const bool small = nano_ > -1024 * kUnit && nano_ < 1024 * kUnit;
  if (small || nano_ % kUnit != 0) return decimal_text(nano_, Format::Decimal);
  return binary_text(nano_ / kUnit);
}

std::optional<std::int64_t> Quantity::whole_units() const {
  Wide units = nano_ / kUnit;
  if (nano_ % kUnit != 0) units += nano_ < 0 ? -1 : 1;
  if (units > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  if (units < std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  return static_cast<std::int64_t>(units);
}

std::optional<Quantity> add(const Quantity& a, const Quantity& b) {
  const auto sum = plus(a.nano_, b.nano_);
  if (!sum) return std::nullopt;
  return Quantity(*sum, a.is_zero() ? b.format_ : a.format_);
}

std::optional<Quantity> multiply(const Quantity& a, std::int64_t factor) {
  const auto product = times(a.nano_, factor);
  if (!product) return std::nullopt;
  return Quantity(*product, a.format_);
}

}  // namespace trainyard
