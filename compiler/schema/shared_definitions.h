#pragma once

#include "tree/tree.h"

namespace trainyard {

/// Moves subtrees that a schema repeats into its `$defs` and refers to them: a pod template says
/// the same about every container, probe and lifecycle handler. What the schema means stays.
void share_repeated(Tree& schema);

}  // namespace trainyard
