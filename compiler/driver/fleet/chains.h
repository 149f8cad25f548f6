#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/build/synced_job.h"
#include "driver/fleet/fleet_plan.h"
#include "spec/cluster.h"

namespace trainyard {

/// The name of an object of Flux for a chain of a team, or for a job of one. A dot is in neither
/// name, so no two come out alike.
std::string chain_object_name(std::string_view cluster, std::string_view team,
                              std::string_view name);

/// Whether any of these jobs is a step of the chain of a team.
bool has_steps(const Chain& chain, std::string_view team, const std::vector<SyncedJob>& jobs);

/// Reports what is wrong with a chain in a cluster that has jobs of it: another tool than Flux, a
/// step without a job, a job whose end Flux cannot tell, a name that is too long.
void check_chain(Session& session, const PlannedTeam& team, const Located<Chain>& chain,
                 const Cluster& cluster, const std::vector<SyncedJob>& jobs);

}  // namespace trainyard
