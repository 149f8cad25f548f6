#pragma once

#include <optional>

#include "cel/program.h"
#include "tree/tree.h"

namespace trainyard {

/// What the API server lets a rule of a CustomResourceDefinition cost at most, as it estimates that
/// before it takes the definition.
/// kubernetes/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go
inline constexpr double kMostOfRule = 10'000'000;
/// And all rules of a schema together.
inline constexpr double kMostOfSchema = 100'000'000;

/// How many items a list can have, or values a map, by its schema, or by what fits into a request.
/// Nothing when the schema is none of a list or a map.
std::optional<double> most_items(View schema);
/// How often the value of a schema can stand in a request, somewhere below a list without a limit.
double most_often(View schema);

/// What a rule about a value of the schema `self` costs at least by the server's own estimate,
/// which takes the largest value: steps of loops over lists and maps, and texts that are matched.
/// All else is left out, so that a rule beyond the budget is so for the server, too.
double least_cost(const cel::Program& rule, View self);

}  // namespace trainyard
