#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// Seconds from one time to a later one, RFC 3339 both; nothing when one is none. Less than 0 where
/// it is the other way round.
std::optional<std::int64_t> seconds_between(std::string_view from, std::string_view to);

/// As kubectl writes ages: `45s`, `9m30s`, `41m`, `3h12m`, `2d4h`; `-` for nothing and for less
/// than 0.
std::string age_text(std::optional<std::int64_t> seconds);

}  // namespace trainyard
