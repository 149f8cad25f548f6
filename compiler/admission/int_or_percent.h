#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// A number of pods or a percentage of them.
struct IntOrPercent {
  std::int64_t value = 0;
  bool percent = false;

  /// How many pods of `all` it is.
  std::int64_t of(std::int64_t all, bool round_up) const {
    const std::int64_t most = 1'000'000;  // more than all of anything
    return percent ? (std::min(value, most) * all + (round_up ? 99 : 0)) / 100 : value;
  }
};

/// As far as it is one.
std::optional<IntOrPercent> int_or_percent_of(View value);

/// Refuses what is none, is negative, or is above 100% where no more than all can be meant.
void check_share(View value, bool at_most_all, CheckContext& context);

}  // namespace trainyard
