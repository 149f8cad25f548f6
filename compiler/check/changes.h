#pragma once

#include <span>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Keys, at any depth, that are no matter of what may change.
struct ChangeRules {
  std::span<const std::string_view> free;    // may change
  std::span<const std::string_view> filled;  // by a default: only two values are a change
};

/// The first place in `now` that says something else than `old`; an empty view when there is none,
/// or when `now` is not there. Nulls and maps that say nothing are absent fields.
View changed(View old, View now, const ChangeRules& rules);

}  // namespace trainyard
