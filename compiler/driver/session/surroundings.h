#pragma once

#include "check/check_context.h"
#include "driver/session/session.h"

namespace trainyard {

/// The versions that the run is for; `cluster` may be null.
Versions versions_for(const Session& session, const ClusterDocument* cluster);

/// What objects are checked against in this run, where `inventory` is around them. A Session serves
/// one Cluster.
CheckInputs surroundings_of(Session& session, const ClusterDocument* cluster,
                            const Inventory* inventory);

/// The check of this name, to ask it without a selection; null if the run turns it off.
const Check* wanted_check(std::string_view name, const CheckInputs& surroundings);

/// Notes what a Cluster says is there. The Cluster must outlive the inventory.
void state_cluster(const Cluster& cluster, Inventory& inventory);

}  // namespace trainyard
