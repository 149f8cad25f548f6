#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "effective/pod_builder.h"
#include "manifest/inventory.h"
#include "manifest/versions.h"
#include "schema/pack.h"

namespace trainyard {

/// A TrainJob, the runtime that it refers to, and who reads them.
struct TrainJobInput {
  View train_job;
  View runtime;  // TrainingRuntime or ClusterTrainingRuntime
  const Versions& versions;
  const SchemaPack& schemas;  // for the merging of patches
};

/// What the Trainer makes of a TrainJob.
struct FoldedTrainJob {
  NodeId job_set = kNoNode;
  std::string failure;             // why it makes nothing
  std::vector<std::string> notes;  // what it does that is not shown
};

/// Folds a TrainJob and its runtime into the JobSet that the Trainer creates, for its releases 2.0
/// to 2.3. What a patch has that cannot be merged is reported to `sink`.
/// kubeflow/trainer pkg/runtime/core/trainingruntime.go, pkg/runtime/framework/plugins
FoldedTrainJob fold_train_job(PodBuilder& maker, const TrainJobInput& input, Sink& sink);

/// What a TrainJob runs on, as its `runtimeRef` says.
struct RuntimeName {
  std::string_view kind;  // `ClusterTrainingRuntime` where it says nothing
  std::string_view name;
  std::string_view name_space;  // "" for a ClusterTrainingRuntime
};
RuntimeName runtime_name(View train_job);
/// The runtime; empty when it is not in the inventory.
View find_runtime(View train_job, const Inventory& inventory);

}  // namespace trainyard
