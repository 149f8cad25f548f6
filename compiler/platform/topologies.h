#pragma once

#include <optional>
#include <vector>

#include "platform/pools.h"

namespace trainyard {

/// The levels of a pool, named by it, down to the single node. Nothing when no level is known.
std::optional<TopologyPlan> topology_of(PlatformContext& context, const Pool& pool);

/// The taints of a pool: its own, and those of its machine in its cloud.
std::vector<TaintPlan> taints_of(PlatformContext& context, const PoolOffer& offer);

}  // namespace trainyard
