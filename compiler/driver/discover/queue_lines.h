#pragma once

#include "driver/discover/discovered_pools.h"
#include "driver/discover/document_lines.h"
#include "driver/survey/survey.h"

namespace trainyard {

/// `queues` of a Cluster document: of Kueue, Volcano, and KAI or Run:ai.
void queue_lines(const Survey& survey, const std::vector<DiscoveredPool>& pools,
                 DocumentLines& lines);

}  // namespace trainyard
