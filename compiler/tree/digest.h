#pragma once

#include "source/sha256.h"
#include "tree/tree.h"

namespace trainyard {

/// Adds the value below `root` to `hash`: kinds, texts and keys, injectively. Spans, styles and the
/// order of a map's entries do not count.
void hash_tree(Sha256& hash, const Tree& tree, NodeId root);

}  // namespace trainyard
