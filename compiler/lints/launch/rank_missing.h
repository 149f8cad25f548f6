#pragma once

#include "check/check.h"

namespace trainyard {

/// Launchers on several pods that know the others, and not which of them they are.
void check_rank_is_given(const Workload& workload, CheckContext& context);

/// torchrun with the address of other pods, and without their number.
void check_node_count_is_given(const Workload& workload, CheckContext& context);

}  // namespace trainyard
