#pragma once

#include "check/check.h"

namespace trainyard {

/// Whether a container starts TAO by its own command, which reads `WORLD_SIZE` for the number of
/// nodes.
bool runs_tao(View container);

/// Variables of TAO on several nodes.
void check_tao_nodes(const Workload& workload, CheckContext& context);

}  // namespace trainyard
