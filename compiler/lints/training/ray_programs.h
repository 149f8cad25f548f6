#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// Programs that take their GPUs from Ray by numbers of nodes and of GPUs: verl, OpenRLHF.
void check_ray_programs(const Workload& workload, CheckContext& context);

}  // namespace trainyard
