#pragma once

#include "tree/tree.h"

namespace trainyard {

/// Puts the fields of a Kubernetes object, and of all that it holds, into the order in which people
/// write them: by the tables of its kind, then unknown fields by their bytes. Entries of user maps
/// (labels, data) are sorted by their bytes, resources with `cpu` and `memory` in front. Lists keep
/// their order.
void order_fields(Tree& tree, NodeId object);

/// The same together with `canonicalise`, in one walk.
void into_written_form(Tree& tree, NodeId object);

}  // namespace trainyard
