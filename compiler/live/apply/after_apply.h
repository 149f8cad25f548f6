#pragma once

#include <string>
#include <vector>

#include "live/apply/planning_command.h"
#include "live/jobs/wait_for_jobs.h"

namespace trainyard {

/// What `apply` does once all is written: `--wait`, `--logs`, `--timeout`.
class AfterApply {
 public:
  void add_arguments(Arguments& rows);
  /// Good, or what is wrong with the call.
  ExitCode read_options(Io& io);
  /// Before the first write: whether the inputs have the jobs to wait for.
  ExitCode has_jobs(Io& io, const ClusterPlan& plan) const;
  bool waits() const { return logs_ || !wait_.empty(); }
  bool prints_logs() const { return logs_; }

  /// Follows the jobs of the plan. What `io` holds is shown first, unless it is a report.
  /// Run:ai has no discovery.
  Waited follow(Io& io, LiveCluster& cluster, const std::optional<Discovery>& discovery,
                const ClusterPlan& plan) const;

 private:
  std::string wait_;  // "", `running` or `finished`
  std::string timeout_word_;
  Milliseconds timeout_{0};
  bool logs_ = false;
};

/// The objects of a plan that are jobs and stay.
std::vector<const PlannedObject*> jobs_in(const ClusterPlan& plan);

/// `"jobs": [{"job": "Job/llama", "namespace": "ml", "phase": "succeeded"}]`
std::string jobs_json(const ClusterPlan& plan, const Waited& waited);

}  // namespace trainyard
