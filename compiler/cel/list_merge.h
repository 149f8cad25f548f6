#pragma once

#include "cel/evaluation_context.h"
#include "cel/value.h"

namespace trainyard::cel {

/// `a + b` of lists by the rule of `a`: a set takes what it does not have, a keyed list replaces
/// the items with the same key, any other list is prolonged.
Value merge_lists(const Value& a, const Value& b, Context& context);

}  // namespace trainyard::cel
