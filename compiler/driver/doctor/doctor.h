#pragma once

#include <string>
#include <vector>

#include "capacity/fit.h"
#include "driver/session/session.h"

namespace trainyard {

/// A cluster as it is at the moment.
struct SeenCluster {
  const ClusterDocument* document = nullptr;  // the Cluster, which has been read
  std::vector<NodeGroup> nodes;               // of its pools, with what is free on them
  Usage used;                                 // of its queues
};

struct DoctorRequest {
  std::vector<std::string> inputs;  // files, directories, `-`
  std::string cluster;              // path
  std::string target;               // overrides that of the specs; "" for none
  /// What is taken already: `POOL=NODES`, or `QUEUE/RESOURCE=AMOUNT`.
  std::vector<std::string> assume_used;
  const SeenCluster* seen = nullptr;  // in the place of `cluster` and `assume_used`
};

/// Where one job would go.
struct JobFit {
  std::string job;
  std::string target;
  std::vector<PoolShare> shares;  // texts live as long as the session
  std::vector<std::string> notes;
};

struct DoctorResult {
  std::vector<JobFit> jobs;              // those that fit, each on its own
  std::vector<std::string> wrong_words;  // what is wrong with `assume_used`
};

/// Places the jobs of the inputs on the Cluster. One that does not fit is an error in the session's
/// sink, with what each pool says.
DoctorResult doctor(Session& session, const DoctorRequest& request);

}  // namespace trainyard
