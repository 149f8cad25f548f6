#pragma once

#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// A YAML file of an embedded folder, whose tree the build has made. Empty when there is none of
/// this name. `archive` must stay in place.
Tree embedded_tree(std::string_view archive, std::string_view name);

}  // namespace trainyard
