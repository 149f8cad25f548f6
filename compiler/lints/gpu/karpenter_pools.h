#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// Pods that select a NodePool of Karpenter, against what is among the inputs.
void check_karpenter_pool(const Workload& workload, CheckContext& context);

}  // namespace trainyard
