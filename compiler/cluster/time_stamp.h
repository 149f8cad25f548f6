#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard {

/// A point in time of UTC.
struct TimeStamp {
  std::int64_t seconds = 0;  // since 1970
  std::int32_t nanoseconds = 0;
  friend auto operator<=>(const TimeStamp&, const TimeStamp&) = default;
};

/// Of RFC 3339, as Kubernetes writes it: `2026-07-29T10:04:05.123456789Z`, or with an offset.
std::optional<TimeStamp> read_time(std::string_view text);

}  // namespace trainyard
