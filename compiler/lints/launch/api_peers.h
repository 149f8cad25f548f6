#pragma once

#include "check/check.h"
#include "manifest/workload.h"

namespace trainyard {

/// Programs that ask the API server for their peers, in pods that may not.
void check_peers_from_api(const Workload& workload, CheckContext& context);

}  // namespace trainyard
