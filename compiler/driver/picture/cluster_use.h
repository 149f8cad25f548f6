#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/doctor/doctor.h"
#include "driver/picture/job_demand.h"
#include "driver/session/session.h"

namespace trainyard {

/// A pool of a Cluster, and what jobs would take of it.
struct PoolUse {
  std::string name;
  std::string about;  // `4 nodes p5.48xlarge, 8 GPUs each (H100)`
  std::optional<std::int64_t> nodes;
  std::int64_t gpus = 0;   // of a node; 0 for none, or where that is not known
  std::int64_t taken = 0;  // nodes, each job on its own
};

/// A bound of a queue, and what its jobs ask for together.
struct QueueAmount {
  std::string_view what;  // `quota` or `limit`
  std::string resource;
  std::string amount;
  Quantity asked;
  bool is_exceeded = false;
};
/// `quota cpu 2000, the jobs ask for 960`
std::string words(const QueueAmount& bound);

/// A queue, and what its jobs ask for together.
struct QueueUse {
  std::string name;       // "" for jobs in no queue
  bool is_known = false;  // the Cluster states it
  std::vector<QueueAmount> amounts;
  std::optional<std::int64_t> gpu_quota;
  std::int64_t jobs = 0;
  std::int64_t pods = 0;
  std::int64_t gpus = 0;
};

struct ClusterUse {
  std::vector<PoolUse> pools;
  std::vector<QueueUse> queues;  // those of the Cluster, then all others that jobs name
};

/// `cluster` may be null: then there are queues alone.
ClusterUse cluster_use(Session& session, const ClusterDocument* cluster,
                       const std::vector<JobDemand>& jobs, const std::vector<JobFit>& fits);

}  // namespace trainyard
