#pragma once

#include "check/check.h"

namespace trainyard {

/// What torchrun is given and cannot read, on its command line or by variables.
void check_torchrun_values(const Workload& workload, CheckContext& context);

}  // namespace trainyard
