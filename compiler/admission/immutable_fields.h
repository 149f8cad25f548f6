#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "check/check.h"
#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// Keys, at any depth, that are no matter of what may change.
struct ImmutabilityRules {
  std::span<const std::string_view> free;    // may change
  std::span<const std::string_view> filled;  // by a default: only two values are a change
  /// Others have written into `old`, and what `now` leaves out may be theirs: it stays. Items of
  /// lists are found again by their names.
  bool merges = false;
};

/// The first place in `now` that says something else than `old`; an empty view when there is none,
/// or when `now` is not there. Nulls and maps that say nothing are absent fields.
View changed(View old, View now, const ImmutabilityRules& rules);

/// A value that has changed. `was` is empty where there was none, `now` where none is left.
struct Change {
  View was;
  View now;
  View at;  // `now`, or the map in which it is missing
};

/// The first change between two values, as narrow as both have it. Amounts are compared as amounts
/// and numbers as numbers. For an empty list, an empty text and `false` it is unknown whether they
/// were written.
std::optional<Change> first_change(View old, View now, const ImmutabilityRules& rules);

/// Reports a change of `key` between two parts of objects; `whose` is what has it, such as `Job`.
/// Null when it stays.
Diagnostic* keep(View before, View now, std::string_view key, const ImmutabilityRules& rules,
                 std::string_view whose, CheckContext& context);

}  // namespace trainyard
