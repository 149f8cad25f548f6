#pragma once

#include "live/jobs/log_printer.h"
#include "live/jobs/wait_for_jobs.h"
#include "live/live_command.h"

namespace trainyard {

struct FollowOptions {
  bool tells_phases = false;  // on standard error
  Milliseconds timeout{0};    // 0 for ever
};

/// Prints the logs of one job, from pods that come later, too, until the job has ended and all is
/// printed. The exit code is that of the job, as of `wait`.
Waited follow_logs(Io& io, LiveCluster& cluster, const LiveJob& job, const LogChoice& choice,
                   const FollowOptions& options);

}  // namespace trainyard
