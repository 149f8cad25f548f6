#pragma once

#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Adds to the schema of a custom resource what the mutating webhook of its operator fills in: the
/// API server asks it before it validates, so that such a field has a default that the CRD does not
/// know, or, where the value is made up for each object, need not be there.
void add_filled_fields(std::string_view group, std::string_view kind, NodeId schema, Tree& tree);

}  // namespace trainyard
