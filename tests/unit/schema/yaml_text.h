#pragma once

#include <string_view>

#include "tree/tree.h"

namespace trainyard::testing {

/// A tree from YAML or JSON text that is known to be good.
Tree tree_of(std::string_view text);

}  // namespace trainyard::testing
