#pragma once

#include <vector>

#include "live/jobs/wait_for_jobs.h"

namespace trainyard {

/// As wait_for_jobs, for workloads of Run:ai: its API has no watch, so that each is asked for again
/// and again, at first four times a second, at last every five seconds.
Waited wait_for_runai_jobs(Io& io, LiveCluster& cluster, const std::vector<LiveJob>& jobs,
                           const WaitOptions& options);

}  // namespace trainyard
