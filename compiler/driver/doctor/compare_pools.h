#pragma once

#include <vector>

#include "driver/doctor/deviation.h"
#include "driver/doctor/stated_cluster.h"

namespace trainyard {

/// How nodes differ from what the pools of a Cluster say.
void compare_pools(const StatedCluster& stated, const std::vector<RealNode>& nodes,
                   const std::vector<PoolMatch>& pools, Deviations& deviations);

}  // namespace trainyard
