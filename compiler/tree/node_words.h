#pragma once

#include <string>

#include "diag/words.h"
#include "tree/tree.h"

namespace trainyard {

// How messages put the values of a tree.

/// A scalar as it stands in YAML, in backticks (a string with its quotes); "a map", "a list".
[[gnu::cold]] std::string shown(const Node& node);
/// What a value is: "the string `\"8\"`", "a map".
std::string described(const Node& node);

}  // namespace trainyard
