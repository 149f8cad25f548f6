#pragma once

#include "check/check.h"

namespace trainyard {

/// Pods that each meet at a place, or under a name, of their own.
void check_separate_rendezvous(const Workload& workload, CheckContext& context);

/// Options of torchrun that are nearly ones that it has.
void check_torchrun_options(const Workload& workload, CheckContext& context);

}  // namespace trainyard
