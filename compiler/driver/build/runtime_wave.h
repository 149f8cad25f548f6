#pragma once

#include "driver/session/session.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// Where Argo CD syncs the cluster, has it apply runtimes before what refers to them: it sorts
/// kinds that it does not know by name, and `TrainJob` comes before `TrainingRuntime`, without
/// which the webhook of Trainer refuses it. `cluster` may be null.
void sync_runtimes_first(const ClusterDocument* cluster, ObjectSet& objects, Origins& origins);

}  // namespace trainyard
