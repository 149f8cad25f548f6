#pragma once

#include <vector>

#include "capacity/fit.h"
#include "rules/rule_context.h"

namespace trainyard {

/// The nodes that the Cluster states; none without one.
std::vector<NodeGroup> cluster_nodes(const RuleContext& context);

/// What containers that `pod` adds request in the pods of each role.
std::vector<Beside> requested_beside(const JobSpec& spec, const Tree& tree, const Plan& plan);

/// How near each other the spec wants its pods to be.
TopologyRequirement topology_requirement_of(const Placement& placement);

}  // namespace trainyard
