#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/api/access.h"
#include "driver/doctor/compare_cluster.h"
#include "driver/doctor/compare_objects.h"
#include "driver/doctor/doctor.h"

namespace trainyard {

/// What is asked of a cluster for `doctor`.
struct Answers {
  Survey survey;
  std::vector<NamedSecret> secrets;  // that the Cluster names
  std::vector<Presence> presence;    // of each secret
  std::vector<Right> missing_rights;
};

/// What follows from the answers.
struct Examination : ComparedCluster {
  SeenCluster seen;  // for placing jobs
};

/// Compares answers with the Cluster document; deviations go to `sink`, which is not that of the
/// session: a job is placed whatever else is wrong. Asks no cluster.
void examine_cluster(Session& session, const ClusterDocument& document, const Answers& answers,
                     Examination& result, Sink& sink);

/// What the queues of a Cluster have in use, by the status of Kueue's ClusterQueues.
Usage queue_usage(const Cluster& cluster, const Survey& survey);

/// Pools with what is free on their nodes, a line each.
std::string capacity_text(const std::vector<PoolCapacity>& pools);
/// `"pools": [...]` of the JSON document.
std::string capacity_json(const std::vector<PoolCapacity>& pools);

}  // namespace trainyard
