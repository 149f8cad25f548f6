#pragma once

#include <vector>

#include "live/discover/discovered_pools.h"
#include "live/discover/document_lines.h"

namespace trainyard {

/// `pools` and `network` of a Cluster document.
void pool_lines(const std::vector<RealNode>& nodes, const std::vector<DiscoveredPool>& pools,
                DocumentLines& lines);

}  // namespace trainyard
