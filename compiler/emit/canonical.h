#pragma once

#include "shape/shape.h"
#include "tree/tree.h"

namespace trainyard {

/// Gives values that can be written in several ways the one way in which Kubernetes prints them,
/// so that a server has nothing to change: quantities become strings with canonical text (`"8"`,
/// `500m`, `1536Mi`), file modes become decimal integers. What cannot be read is left alone; saying
/// so is the business of the checks.
void canonicalise(Tree& tree, NodeId object);

/// The same for one scalar whose shape is known.
void canonicalise_scalar(Tree& tree, NodeId id, FieldShape shape);

}  // namespace trainyard
