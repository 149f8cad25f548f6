#include "cel/times.h"

#include <array>

#include "cel/functions.h"
#include "source/characters.h"

namespace trainyard::cel {
namespace {

constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\xc2\xb5s", 1'000},
                                         {"\xce\xbcs", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", kNanosPerSecond},
                                         {"m", 60 * kNanosPerSecond},
                                         {"h", 3600 * kNanosPerSecond}}};

/// The unit at the front of `text`, up to the next number.
std::optional<std::int64_t> take_unit(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && !is_digit(text[size]) && text[size] != '.') ++size;
  for (const Unit& unit : kUnits) {
    if (unit.name != text.substr(0, size)) continue;
    text.remove_prefix(size);
    return unit.nanos;
  }
  return std::nullopt;
}

/// A number with its unit, added to `sum`, which is negative: the most negative duration has no
/// positive counterpart.
bool take_part(std::string_view& text, std::int64_t& sum) {
  std::int64_t whole = 0;
  std::size_t digits = 0;
  for (; !text.empty() && is_digit(text[0]); ++digits, text.remove_prefix(1)) {
    if (__builtin_mul_overflow(whole, 10, &whole)) return false;
    if (__builtin_add_overflow(whole, text[0] - '0', &whole)) return false;
  }
  double fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    double place = 0.1;
    for (; !text.empty() && is_digit(text[0]); ++digits, text.remove_prefix(1)) {
      fraction += place * (text[0] - '0');
      place /= 10;
    }
  }
  if (digits == 0) return false;
  const auto unit = take_unit(text);
  if (!unit) return false;
  if (__builtin_mul_overflow(whole, *unit, &whole)) return false;
  // A little more than the fraction, so that 0.3 of something does not come out one short.
  const auto part = static_cast<std::int64_t>(fraction * static_cast<double>(*unit) + 1e-6);
  return !__builtin_sub_overflow(sum, whole, &sum) && !__builtin_sub_overflow(sum, part, &sum);
}

/// `count` digits at the front of `text`.
bool take_digits(std::string_view& text, std::size_t count, unsigned& value) {
  if (text.size() < count) return false;
  value = 0;
  for (char c : text.substr(0, count)) {
    if (!is_digit(c)) return false;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool is_leap(unsigned year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

unsigned days_in(unsigned year, unsigned month) {
  constexpr std::array<unsigned, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

bool take_date(std::string_view& text, std::int64_t& days) {
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
  const bool form = take_digits(text, 4, year) && take_char(text, '-') &&
                    take_digits(text, 2, month) && take_char(text, '-') &&
                    take_digits(text, 2, day);
  if (!form || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return false;
  days = days_of(year, month, day);
  return true;
}

bool take_time(std::string_view& text, Moment& moment) {
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  const bool form = take_digits(text, 2, hour) && take_char(text, ':') &&
                    take_digits(text, 2, minute) && take_char(text, ':') &&
                    take_digits(text, 2, second);
  if (!form || hour > 23 || minute > 59 || second > 59) return false;
  moment.seconds += hour * 3600 + minute * 60 + second;
  if (!take_char(text, '.')) return true;
  std::int32_t place = 100'000'000;
  if (text.empty() || !is_digit(text[0])) return false;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), place /= 10) {
    moment.nanos += (text[0] - '0') * place;
  }
  return true;
}

bool take_zone(std::string_view& text, Moment& moment) {
  if (take_char(text, 'Z') || take_char(text, 'z')) return true;
  const bool west = text.starts_with('-');
  if (!west && !text.starts_with('+')) return false;
  text.remove_prefix(1);
  unsigned hours = 0;
  unsigned minutes = 0;
  const bool form =
      take_digits(text, 2, hours) && take_char(text, ':') && take_digits(text, 2, minutes);
  if (!form || hours > 23 || minutes > 59) return false;
  const std::int64_t offset = hours * 3600 + minutes * 60;
  moment.seconds += west ? offset : -offset;
  return true;
}

void append_padded(std::int64_t value, std::size_t width, std::string& out) {
  const std::string digits = std::to_string(value);
  out.append(width > digits.size() ? width - digits.size() : 0, '0') += digits;
}

/// `.5` for 500000000; nothing for 0.
void append_fraction(std::uint64_t nanos, std::string& out) {
  if (nanos == 0) return;
  std::string digits;
  append_padded(static_cast<std::int64_t>(nanos), 9, digits);
  digits.erase(digits.find_last_not_of('0') + 1);
  out.append(".").append(digits);
}

/// A moment moved by nanoseconds, if it stays in range.
Value moved(Moment moment, std::int64_t nanos, bool back) {
  std::int64_t seconds = nanos / kNanosPerSecond;
  auto rest = static_cast<std::int32_t>(nanos % kNanosPerSecond);
  if (back) {
    seconds = -seconds;
    rest = -rest;
  }
  moment.seconds += seconds;
  moment.nanos += rest;
  if (moment.nanos < 0) {
    moment.nanos += static_cast<std::int32_t>(kNanosPerSecond);
    --moment.seconds;
  } else if (moment.nanos >= kNanosPerSecond) {
    moment.nanos -= static_cast<std::int32_t>(kNanosPerSecond);
    ++moment.seconds;
  }
  return in_range(moment) ? Value::timestamp(moment) : Value::error("timestamp overflow");
}

Value between(Moment a, Moment b) {
  std::int64_t nanos = 0;
  const bool fits = !__builtin_mul_overflow(a.seconds - b.seconds, kNanosPerSecond, &nanos) &&
                    !__builtin_add_overflow(nanos, std::int64_t{a.nanos} - b.nanos, &nanos);
  return fits ? Value::duration(nanos) : Value::error("duration overflow");
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::int64_t sum = 0;
  while (!text.empty()) {
    if (!take_part(text, sum)) return std::nullopt;
  }
  if (negative) return sum;
  if (sum == INT64_MIN) return std::nullopt;
  return -sum;
}

std::string duration_text(std::int64_t nanos) {
  const auto natural = static_cast<std::uint64_t>(nanos);
  const std::uint64_t amount = nanos < 0 ? 0 - natural : natural;
  std::string text = nanos < 0 ? "-" : "";
  text += std::to_string(amount / kNanosPerSecond);
  append_fraction(amount % kNanosPerSecond, text);
  return text + "s";
}

std::optional<Moment> parse_timestamp(std::string_view text) {
  Moment moment;
  std::int64_t days = 0;
  if (!take_date(text, days)) return std::nullopt;
  if (!take_char(text, 'T') && !take_char(text, 't')) return std::nullopt;
  moment.seconds = days * kSecondsPerDay;
  if (!take_time(text, moment) || !take_zone(text, moment) || !text.empty()) return std::nullopt;
  return in_range(moment) ? std::optional(moment) : std::nullopt;
}

std::string timestamp_text(Moment moment) {
  std::int64_t days = moment.seconds / kSecondsPerDay;
  std::int64_t second = moment.seconds % kSecondsPerDay;
  if (second < 0) {
    second += kSecondsPerDay;
    --days;
  }
  const Date date = date_of(days);
  std::string text;
  append_padded(date.year, 4, text);
  append_padded(date.month, 2, text += '-');
  append_padded(date.day, 2, text += '-');
  append_padded(second / 3600, 2, text += 'T');
  append_padded(second / 60 % 60, 2, text += ':');
  append_padded(second % 60, 2, text += ':');
  append_fraction(static_cast<std::uint64_t>(moment.nanos), text);
  return text + "Z";
}

// The calendar repeats every 400 years; a year that begins in March has its leap day at the end.
std::int64_t days_of(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t in_era = year - era * 400;
  const std::int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146'097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719'468;
}

Date date_of(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t in_era = days - era * 146'097;
  const std::int64_t year = (in_era - in_era / 1'460 + in_era / 36'524 - in_era / 146'096) / 365;
  const std::int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
  const std::int64_t shifted = (5 * in_year + 2) / 153;
  const auto day = static_cast<unsigned>(in_year - (153 * shifted + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {year + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

bool in_range(Moment moment) {
  return moment.seconds >= kFirstSecond && moment.seconds <= kLastSecond;
}

Value add_times(const Value& a, const Value& b) {
  if (a.is(Type::Duration) && b.is(Type::Duration)) {
    std::int64_t sum = 0;
    const bool fits = !__builtin_add_overflow(a.as_int(), b.as_int(), &sum);
    return fits ? Value::duration(sum) : Value::error("duration overflow");
  }
  if (a.is(Type::Timestamp) && b.is(Type::Duration)) return moved(a.moment(), b.as_int(), false);
  if (a.is(Type::Duration) && b.is(Type::Timestamp)) return moved(b.moment(), a.as_int(), false);
  return no_overload();
}

Value subtract_times(const Value& a, const Value& b) {
  if (a.is(Type::Duration) && b.is(Type::Duration)) {
    std::int64_t rest = 0;
    const bool fits = !__builtin_sub_overflow(a.as_int(), b.as_int(), &rest);
    return fits ? Value::duration(rest) : Value::error("duration overflow");
  }
  if (a.is(Type::Timestamp) && b.is(Type::Duration)) return moved(a.moment(), b.as_int(), true);
  if (a.is(Type::Timestamp) && b.is(Type::Timestamp)) return between(a.moment(), b.moment());
  return no_overload();
}

}  // namespace trainyard::cel
