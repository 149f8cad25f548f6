#include <array>
#include <string>

#include "cel/functions.h"
#include "cel/times.h"
#include "source/number_text.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

std::optional<int> whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return read_number<int>(text);
}

/// Seconds east of UTC: `+05:30`, `-08:00`, `02:00`, `UTC`. The names of other zones mean what the
/// tables of the machine say at that time, which a build may not depend on.
std::optional<std::int64_t> zone_offset(std::string_view zone) {
  if (zone.empty() || zone == "UTC") return 0;
  const std::size_t colon = zone.find(':');
  if (colon == zone.npos) return std::nullopt;
  const auto hours = whole_number(zone.substr(0, colon));
  const auto minutes = whole_number(zone.substr(colon + 1));
  if (!hours || !minutes || *hours < -24 || *hours > 24 || *minutes < 0 || *minutes > 59) {
    return std::nullopt;
  }
  return (*hours * 60 + (zone[0] == '-' ? -*minutes : *minutes)) * 60;
}

/// A moment taken apart in some zone.
struct Parts {
  std::int64_t days = 0;
  std::int64_t second = 0;  // of the day
  std::int32_t nanos = 0;
  Date date{};
};

std::optional<Parts> parts_of(Arguments a) {
  const bool zoned = a.size() == 2;
  if (zoned && !a[1].is(Type::String)) return std::nullopt;
  const auto offset = zoned ? zone_offset(a[1].text()) : std::optional<std::int64_t>(0);
  if (!offset) return std::nullopt;
  const std::int64_t seconds = a[0].moment().seconds + *offset;
  Parts parts;
  parts.days = seconds / kSecondsPerDay;
  parts.second = seconds % kSecondsPerDay;
  if (parts.second < 0) {
    parts.second += kSecondsPerDay;
    --parts.days;
  }
  parts.nanos = a[0].moment().nanos;
  parts.date = date_of(parts.days);
  return parts;
}

template <class Read>
Value read(Arguments a, Read part) {
  const auto parts = parts_of(a);
  return parts ? Value::integer(part(*parts)) : Value::error("unknown time zone");
}

Value year(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return p.date.year; });
}
Value month(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return std::int64_t{p.date.month} - 1; });
}
Value date(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return std::int64_t{p.date.day}; });
}
Value day_of_month(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return std::int64_t{p.date.day} - 1; });
}
Value day_of_week(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return ((p.days + 4) % 7 + 7) % 7; });
}
Value day_of_year(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return p.days - days_of(p.date.year, 1, 1); });
}
Value hours(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return p.second / 3600; });
}
Value minutes(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return p.second / 60 % 60; });
}
Value seconds(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return p.second % 60; });
}
Value milliseconds(Context&, Arguments a) {
  return read(a, [](const Parts& p) { return std::int64_t{p.nanos} / 1'000'000; });
}

// Of a duration they count the whole of it.
Value duration_hours(Context&, Arguments a) {
  return Value::integer(a[0].as_int() / (3600 * kNanosPerSecond));
}
Value duration_minutes(Context&, Arguments a) {
  return Value::integer(a[0].as_int() / (60 * kNanosPerSecond));
}
Value duration_seconds(Context&, Arguments a) {
  return Value::integer(a[0].as_int() / kNanosPerSecond);
}
Value duration_milliseconds(Context&, Arguments a) {
  return Value::integer(a[0].as_int() / 1'000'000);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"getFullYear", Style::Member, 1, 2, Type::Timestamp, year},
    {"getMonth", Style::Member, 1, 2, Type::Timestamp, month},
    {"getDate", Style::Member, 1, 2, Type::Timestamp, date},
    {"getDayOfMonth", Style::Member, 1, 2, Type::Timestamp, day_of_month},
    {"getDayOfWeek", Style::Member, 1, 2, Type::Timestamp, day_of_week},
    {"getDayOfYear", Style::Member, 1, 2, Type::Timestamp, day_of_year},
    {"getHours", Style::Member, 1, 2, Type::Timestamp, hours},
    {"getMinutes", Style::Member, 1, 2, Type::Timestamp, minutes},
    {"getSeconds", Style::Member, 1, 2, Type::Timestamp, seconds},
    {"getMilliseconds", Style::Member, 1, 2, Type::Timestamp, milliseconds},
    {"getHours", Style::Member, 1, 1, Type::Duration, duration_hours},
    {"getMinutes", Style::Member, 1, 1, Type::Duration, duration_minutes},
    {"getSeconds", Style::Member, 1, 1, Type::Duration, duration_seconds},
    {"getMilliseconds", Style::Member, 1, 1, Type::Duration, duration_milliseconds},
});

}  // namespace

std::span<const Function> time_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
