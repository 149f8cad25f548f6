#pragma once

#include "cel/evaluation_context.h"
#include "cel/program.h"

namespace trainyard::cel {

/// An operator with two operands, neither an error: arithmetic, comparison, `in`.
Value apply(Op op, const Value& a, const Value& b, Context& context);
Value negate(const Value& a);
/// `+` of numbers, texts, lists, times.
Value add(const Value& a, const Value& b, Context& context);

}  // namespace trainyard::cel
