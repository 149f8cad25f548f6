#pragma once

#include <string>
#include <vector>

#include "live/jobs/follow_job.h"
#include "live/live_command.h"

namespace trainyard {

/// What jobs are waited for.
enum class Goal { Running, Finished, Gone };

struct WaitOptions {
  Goal goal = Goal::Finished;
  Milliseconds timeout{0};  // 0 for ever
};

/// How a wait came out.
struct Waited {
  ExitCode code = ExitCode::Good;  // of the first job that is not as it was waited for
  std::vector<JobNews> news;       // the last of each job, in their order
};

/// `running`, `finished`, `gone`.
Goal goal_of(std::string_view word);

/// The exit code of a job that is waited for; nothing while there is more to wait for.
std::optional<ExitCode> outcome_of(const JobNews& news, Goal goal);

/// `Pending: reason: message`, for people.
std::string phase_line(const JobNews& news);

/// Follows all jobs until each is as it was waited for, or can no longer be. Tells each phase on
/// standard error, and in `io` why it ended early. No job is ever touched.
Waited wait_for_jobs(Io& io, LiveCluster& cluster, const std::vector<LiveJob>& jobs,
                     const WaitOptions& options);

/// The message after an interrupt: that the job goes on, how to follow it again, and what stops
/// it. `command` follows it: `wait`, `logs`.
std::string goes_on(const LiveCluster& cluster, const LiveJob& job, JobPhase phase,
                    std::string_view command);

}  // namespace trainyard
