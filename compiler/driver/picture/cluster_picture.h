#pragma once

#include <vector>

#include "driver/picture/cluster_use.h"
#include "picture/picture.h"

namespace trainyard {

/// The jobs of a fleet by their queues, with what they ask for together.
Picture fleet_picture(const std::vector<JobDemand>& jobs);

/// The pools of a Cluster with their machines and topology, and its queues: quota against what the
/// jobs ask for. `fits` says which nodes they would take.
Picture cluster_picture(Session& session, const ClusterDocument& cluster,
                        const std::vector<JobDemand>& jobs, const ClusterUse& use);

}  // namespace trainyard
