#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/applied_set.h"
#include "live/apply/cluster_plan.h"
#include "live/apply/observe.h"

namespace trainyard {

/// A plan with what it takes to carry it out.
struct MadePlan {
  ClusterPlan plan;
  std::vector<AppliedSet> before;  // the record of each set that has one
  std::vector<std::string> told;   // what is left alone, and why
  std::optional<ApiError> error;   // then there is no plan
};

struct PlanOptions {
  const JobKinds& kinds;
  std::string name_space;  // of the context
  bool force = false;
  bool prune = true;
};

/// What applying these sets would do. Writes nothing.
MadePlan make_plan(Transport& transport, const Discovery& discovery,
                   const std::vector<WantedSet>& sets, const PlanOptions& options);

}  // namespace trainyard
