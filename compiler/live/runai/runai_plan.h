#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "live/apply/cluster_plan.h"
#include "live/apply/write_plan.h"
#include "live/runai/runai_submission.h"

namespace trainyard {

/// What is to be posted for an object of a plan.
struct RunaiOrder {
  RunaiSort sort = RunaiSort::Training;
  std::string body;
};

using RunaiOrders = std::vector<std::optional<RunaiOrder>>;

struct PlannedWorkloads {
  ClusterPlan plan;
  RunaiOrders orders;             // of the objects, in their order
  std::optional<ApiError> error;  // then there is no plan
};

/// What submitting the workloads of these sets would do. The API takes no other objects, and
/// changes no workload: what differs has to be deleted and made again. `project` is that of
/// workloads that name none. Writes nothing.
PlannedWorkloads make_runai_plan(Transport& transport, const std::vector<WantedSet>& sets,
                                 const std::string& project);

/// Carries the plan out, and sets the UIDs of what was made. A submission that was cut is not sent
/// again: whether it was taken, the next run of the same command sees.
Written write_runai_plan(Transport& transport, ClusterPlan& plan, const RunaiOrders& orders,
                         const std::function<void(const std::string& line)>& tell);

}  // namespace trainyard
