#pragma once

#include <string_view>

#include "check/check_context.h"
#include "manifest/workload.h"
#include "tree/quantity.h"
#include "tree/tree.h"

namespace trainyard {

/// What keeps a job out of its queue, as far as queues are among the inputs: one that is held or
/// for other namespaces, flavors on other nodes, amounts that there are not.
void check_fits_queue(const Workload& workload, CheckContext& context);

/// Amounts and levels of topology alone, of a job whose pods are those of another object, which is
/// made of it.
void check_queue_has(View job, const Workload& pods, CheckContext& context);

/// Pods that ask for placement by topology where the flavor for their nodes has none, or the other
/// way round.
void check_topology_of_queue(const Workload& workload, CheckContext& context);
/// Checks a job whose pods come from another object, such as the JobSet of a TrainJob.
void check_topology_of_queue(View job, const Workload& pods, CheckContext& context);

/// What all pods of a job request of a resource, those that start later too.
Quantity taken(const Workload& workload, std::string_view resource);

}  // namespace trainyard
