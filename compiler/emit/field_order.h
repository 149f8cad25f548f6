#pragma once

#include <vector>

#include "emit/shape.h"
#include "tree/tree.h"

namespace trainyard {

/// Puts the fields of a Kubernetes object, and of all that it holds, into the order in which people
/// write them: by the tables of its kind, then unknown fields by their bytes. Entries of user maps
/// (labels, data) are sorted by their bytes, resources with `cpu` and `memory` in front. Lists keep
/// their order.
void order_fields(Tree& tree, NodeId object);

/// The same together with `canonicalise`, in one walk. With `shapes`, which has an item for each
/// node of the tree, notes what each scalar is.
void into_written_form(Tree& tree, NodeId object, std::vector<FieldShape>* shapes = nullptr);

}  // namespace trainyard
