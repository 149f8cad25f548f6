#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/doctor/doctor.h"
#include "driver/session/session.h"
#include "picture/picture.h"

namespace trainyard {

/// What a job of a fleet asks for.
struct JobDemand {
  std::string job;    // `JobSet/llama`
  std::string queue;  // "" for none
  std::int64_t pods = 0;
  std::int64_t gpus = 0;
};

/// The jobs of a fleet by their queues, with what they ask for together.
Picture fleet_picture(const std::vector<JobDemand>& jobs);

/// The pools of a Cluster with their machines and topology, and its queues: quota against what the
/// jobs ask for. `fits` says which nodes they would take.
Picture cluster_picture(Session& session, const ClusterDocument& cluster,
                        const std::vector<JobDemand>& jobs, const std::vector<JobFit>& fits);

}  // namespace trainyard
