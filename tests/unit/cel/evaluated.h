#pragma once

#include <string>
#include <string_view>

#include "cel/evaluation_context.h"
#include "cel/value.h"

namespace trainyard::testing {

/// A value as an expression would write it: `3`, `3u`, `"a"`, `[1, 2]`; `error: ...`.
std::string shown(const cel::Value& value);

/// Compiles and evaluates an expression without variables.
std::string evaluated(std::string_view text);
/// As `evaluated`, with steps to spend.
std::string evaluated(std::string_view text, std::uint64_t steps);
/// What `compile` says: the message and the position.
std::string compile_fault(std::string_view text);

}  // namespace trainyard::testing
