#pragma once

#include <vector>

#include "driver/discover/discovered_pools.h"
#include "driver/discover/document_lines.h"

namespace trainyard {

/// `pools` of a Cluster document.
void pool_lines(const Survey& survey, const std::vector<RealNode>& nodes,
                const std::vector<DiscoveredPool>& pools, DocumentLines& lines);

}  // namespace trainyard
