#pragma once

#include "check/context.h"
#include "driver/session.h"

namespace trainyard {

/// The versions that the run is for; `cluster` may be null.
Versions versions_for(const Session& session, const ClusterDocument* cluster);

/// What objects of the run are checked against, but for the objects around them; `cluster` may be
/// null, and must outlive it.
Surroundings surroundings_for(const Session& session, const ClusterDocument* cluster);

/// Notes what a Cluster says is there. The Cluster must outlive the inventory.
void state_cluster(const Cluster& cluster, Inventory& inventory);

}  // namespace trainyard
