#pragma once

#include <string>

#include "driver/build/gathered_jobs.h"
#include "driver/fleet/companions.h"
#include "driver/fleet/fleet_plan.h"

namespace trainyard {

/// Adds the companions of a cluster to its outputs, if the Cluster names a tool: of all that was
/// gathered for it, from the output with the index `first` on. A Cluster that leaves out what the
/// tool needs gets a note in the session's sink.
void add_companions(Session& session, const FleetPlan& plan, const PlannedCluster& planned,
                    const Cluster& cluster, std::size_t first, GatheredJobs& gathered);

}  // namespace trainyard
