#pragma once

#include <vector>

#include "capacity/fit.h"

namespace trainyard {

/// Closes the pools that the job's queue does not use: flavors of Kueue choose the nodes of what
/// they admit. Flavors that `trainyard build` makes also have the levels of their pools, and pods
/// must ask for a topology where only some flavors of the queue have one.
void close_pools(std::vector<NodeGroup>& nodes, const Plan& plan, const Cluster& cluster);

/// Holds the sum of the job's requests against what its queue may use: its limit and those of the
/// queues above it; for Kueue also what it is guaranteed, together with the queues of its cohort,
/// and for jobs that KAI and Run:ai never stop for others what the queue itself is guaranteed.
/// Otherwise these systems lend what is idle beyond that. The obstacle is empty when there is no
/// such queue in the Cluster.
Fit fits_queue(const Plan& plan, const Cluster& cluster, const Usage& used,
               const std::vector<Beside>& beside = {});

}  // namespace trainyard
