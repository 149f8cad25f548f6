#include "spec/duration.h"

#include <charconv>
#include <limits>

namespace trainyard {
namespace {

std::int64_t seconds_per(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 60 * 60;
    case 'd':
      return 24 * 60 * 60;
    default:
      return 0;
  }
}

}  // namespace

std::optional<Seconds> parse_duration(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  std::int64_t total = 0;
  std::int64_t last_unit = kMax;
  if (text.empty()) return std::nullopt;
  while (at != end) {
    if (*at == '-') return std::nullopt;
    std::int64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) return std::nullopt;
    const bool bare = after == end;  // seconds, if it is all there is
    if (bare && at != text.data()) return std::nullopt;
    const std::int64_t unit = bare ? 1 : seconds_per(*after);
    if (unit == 0 || unit >= last_unit || number > (kMax - total) / unit) return std::nullopt;
    total += number * unit;
    last_unit = unit;
    at = bare ? after : after + 1;
  }
  return Seconds{total};
}

}  // namespace trainyard
