#pragma once

#include <span>

#include "cel/evaluation_context.h"
#include "cel/program.h"

namespace trainyard::cel {

/// The value of an expression; `variables` in the order in which `compile` was given them. What
/// goes wrong is a value of type Error. The value points into the context's heap, the program and
/// the variables.
Value evaluate(const Program& program, std::span<const Value> variables, Context& context);

}  // namespace trainyard::cel
