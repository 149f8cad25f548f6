#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/runai/runai_calls.h"
#include "live/jobs/live_jobs.h"

namespace trainyard {

/// A workload of Run:ai, in the form of the object that the control plane makes of it on its
/// cluster: `kind`, `metadata` and `status` of a TrainingWorkload or DistributedWorkload. So
/// templates/kinds.yaml judges both.
struct RunaiWorkload {
  std::string id;
  std::string project;  // its name
  std::string project_id;
  JsonAnswer object;

  RunaiSort sort() const;
};

/// Which workloads are meant. `project` is the name of one, or its namespace; "" for all that the
/// user may see.
struct RunaiChoice {
  std::string name;  // "" for all
  std::string project;
  std::string kind;  // "" for both
};

struct RunaiList {
  std::vector<RunaiWorkload> workloads;
  std::optional<ApiError> error;  // then they are not all
};
RunaiList list_runai_workloads(Transport& transport, const RunaiChoice& choice);

/// The sort of a job that look_for_runai_jobs has found.
RunaiSort runai_sort_of(View object);

/// As look_for_jobs; around a workload are its pods and events.
LiveJobs look_for_runai_jobs(Transport& transport, const RunaiChoice& choice, Around around);

}  // namespace trainyard
