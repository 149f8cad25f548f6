#pragma once

#include <cstdint>
#include <optional>

#include "check/context.h"
#include "tree/tree.h"

namespace trainyard {

/// A number of pods or a percentage of them, as far as it is one.
struct Share {
  std::int64_t value = 0;
  bool percent = false;
};

std::optional<Share> share_of(View value);

/// A share that is there is one, and not negative. `most` is what a percentage may come to at most;
/// none for no limit.
void check_share(View value, std::optional<int> most, CheckContext& context);

}  // namespace trainyard
