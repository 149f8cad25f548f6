#pragma once

#include "check/context.h"
#include "check/workload.h"
#include "tree/tree.h"

namespace trainyard {

/// What keeps a job out of its queue, whatever amounts there are: a queue that is held, one that is
/// for other namespaces, flavors on other nodes. `named` is where the job names the LocalQueue.
void check_queue_takes(const Workload& workload, View named, View local_queue, View cluster_queue,
                       CheckContext& context);

}  // namespace trainyard
