#pragma once

#include "driver/session/session.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// Annotates objects for the tool that syncs the cluster, where the job says nothing else.
/// `cluster` may be null.
/// - Argo CD sorts kinds that it does not know by name. `TrainJob` comes before `TrainingRuntime`,
///   without which the webhook of Trainer refuses it: the runtime gets an earlier wave.
/// - Flux takes `${NAME}` in a script for a variable of its own, where a Kustomization substitutes
///   any: it is to leave such an object as it is.
void annotate_for_sync(const ClusterDocument* cluster, ObjectSet& objects, Origins& origins);

}  // namespace trainyard
