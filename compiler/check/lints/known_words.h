#pragma once

#include "check/check.h"

namespace trainyard {

// Words of others that are read when it is too late.

/// Variables of PyTorch that it cannot read.
void check_torch_variables(const Pod& pod, CheckContext& context);
/// Parameters for `ray start` that it does not have, or that shut the operator out.
void check_ray_start(const Workload& workload, CheckContext& context);
/// Labels of nodes that are nearly those that nodes have.
void check_node_labels(const Pod& pod, CheckContext& context);
/// Amounts of processors that no machine has.
void check_processors(const Pod& pod, CheckContext& context);

}  // namespace trainyard
