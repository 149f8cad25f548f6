#pragma once

#include <vector>

#include "capacity/offer.h"
#include "platform/platform_context.h"

namespace trainyard {

/// What the pods of jobs can request on the nodes of a pool, as far as quotas count it. What would
/// have to be known for that is reported.
PoolOffer offer_of(PlatformContext& context, const Pool& pool);

/// Labels that all nodes of the pool have: its own, else those of its machine.
std::vector<NamedValue> labels_of(PlatformContext& context, const PoolOffer& offer);

}  // namespace trainyard
