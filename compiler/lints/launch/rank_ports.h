#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// Where rank 0 is looked for is the port at which it listens.
void rank_port(const Workload& workload, CheckContext& context);
/// The port of rank 0 is one that there is.
void rank_port_range(const Workload& workload, CheckContext& context);

}  // namespace trainyard
