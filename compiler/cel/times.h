#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace trainyard::cel {

/// A duration as Go reads it, in nanoseconds: `1h30m`, `-1.5s`, `100ms`. Nothing beyond 64 bits.
std::optional<std::int64_t> parse_duration(std::string_view text);
/// As CEL prints one: `5400s`, `-0.5s`.
std::string duration_text(std::int64_t nanos);

/// RFC 3339 with years 1 to 9999.
std::optional<Moment> parse_timestamp(std::string_view text);
std::string timestamp_text(Moment moment);

/// Days since 1970 of a date of the Gregorian calendar.
std::int64_t days_of(std::int64_t year, unsigned month, unsigned day);
struct Date {
  std::int64_t year;
  unsigned month;  // 1..12
  unsigned day;    // 1..31
};
Date date_of(std::int64_t days);

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr std::int64_t kSecondsPerDay = 86'400;

/// Whether a moment lies in the years that CEL has.
bool in_range(Moment moment);

/// `a + b` and `a - b` of durations and timestamps.
Value add_times(const Value& a, const Value& b);
Value subtract_times(const Value& a, const Value& b);

}  // namespace trainyard::cel
