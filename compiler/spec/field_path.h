#pragma once

#include <string>

#include "tree/tree.h"

namespace trainyard {

/// The path of `node` below `root`, as people write it: `spec.run.args[0]`. For diagnostics only:
/// it searches the tree.
std::string field_path(const Tree& tree, NodeId root, NodeId node);

}  // namespace trainyard
