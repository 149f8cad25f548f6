#pragma once

#include "driver/session/session.h"

namespace trainyard {

/// Checks what a Cluster says of itself: that the machines, pools and the target it names exist,
/// and that its namespaces have names that Kubernetes takes.
void check_cluster(Session& session, const Cluster& cluster);

}  // namespace trainyard
