#pragma once

#include <vector>

#include "driver/doctor/deviation.h"
#include "driver/doctor/stated_cluster.h"
#include "driver/survey/survey.h"

namespace trainyard {

/// A Cluster document beside the cluster.
struct ComparedCluster {
  std::vector<RealNode> nodes;
  StatedCluster stated;
  std::vector<PoolMatch> pools;  // refers to the two above

  ComparedCluster() = default;
  ComparedCluster(const ComparedCluster&) = delete;
};

/// How releases, nodes and objects of a cluster differ from what its document says.
void compare_cluster(Session& session, const ClusterDocument& document, const Survey& survey,
                     ComparedCluster& result, Deviations& deviations);

}  // namespace trainyard
