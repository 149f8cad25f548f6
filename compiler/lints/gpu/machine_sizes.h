#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// Pods that ask for more CPUs or memory than the machine has that they select.
void check_machine_size(const Pod& pod, CheckContext& context);

}  // namespace trainyard
