#pragma once

#include <string>
#include <vector>

#include "live/apply/cluster_plan.h"

namespace trainyard {

/// A plan for people: a line for each object, below it what changes and where that stands in the
/// spec, and a sentence that counts.
std::string plan_text(const ClusterPlan& plan);
/// `1 to add, 1 to replace, 1 unchanged`
std::string plan_summary(const ClusterPlan& plan);
/// Refused objects for the same reason, in the order of the plan.
using Refusal = std::vector<const PlannedObject*>;
std::vector<Refusal> refusals_in(const ClusterPlan& plan);
/// For the first line of an error: `the cluster refuses Job/a and 3999 more: ...`
std::string refusal_summary(const ClusterPlan& plan);
/// Of conflicts: `spec.backoffLimit of Job/a is argocd's, with another value`
std::string conflict_summary(const ClusterPlan& plan);
/// The list `objects` of the JSON document.
std::string plan_json(const ClusterPlan& plan);
/// `create`, `update`, ...: the words of the JSON document.
std::string_view name_of(Action action);

}  // namespace trainyard
