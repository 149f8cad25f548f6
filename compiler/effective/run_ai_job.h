#pragma once

#include "effective/pod_builder.h"
#include "tree/tree.h"

namespace trainyard {

/// The job of an operator that Run:ai makes of a DistributedWorkload; empty if it is not known.
View run_ai_job(PodBuilder& maker, View workload);

}  // namespace trainyard
