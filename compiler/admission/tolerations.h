#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// Tolerations of taints of nodes, in pods and wherever else they stand.
void check_tolerations(View list, CheckContext& context);

}  // namespace trainyard
