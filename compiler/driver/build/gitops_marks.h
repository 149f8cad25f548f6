#pragma once

#include "driver/build/compile.h"

namespace trainyard {

/// Annotations for the tool that syncs the objects, if the Cluster names one.
///
/// Argo CD applies runtimes before what refers to them: it sorts kinds that it does not know by
/// name, and `TrainJob` comes before `TrainingRuntime`, without which the webhook of Trainer
/// refuses it.
///
/// Flux treats `${NAME}` in a script as its own variable if a Kustomization substitutes any. It
/// must leave such an object unchanged.
///
/// With `rerun: in-place` the tool deletes a job that cannot change and creates it again. Reports
/// what that costs, and a job that the tool cannot force.
void mark_for_gitops(Session& session, const ClusterDocument* cluster, Compilation& job);

}  // namespace trainyard
