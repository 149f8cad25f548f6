#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// `$RUN_NAMES` under `set -u`, where the script or the container sets `RUN_NAME`.
void check_unset_names(const Workload& workload, const WorkloadRole& role, View container,
                       CheckContext& context);

}  // namespace trainyard
