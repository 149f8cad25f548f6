#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// The one policy of a training runtime that says how processes find each other.
enum class MlPolicy : std::uint8_t { None, Torch, Mpi, Jax, Xgboost, Flux };

/// A TrainJob and the runtime that it names, if the latter is among the inputs.
///
/// kubeflow/trainer pkg/runtime/core/trainingruntime.go
struct TrainJob {
  View object;
  View trainer;        // `spec.trainer`
  View runtime;        // the object; an empty view when it is not an input
  View template_spec;  // of the JobSet, in the runtime

  explicit operator bool() const { return static_cast<bool>(runtime); }
};

/// Without a runtime while the inputs are still being read, and when it is not among them.
TrainJob train_job(View object, CheckContext& context);

/// `spec.runtimeRef.kind`, after defaulting.
std::string_view runtime_kind(View train_job);

/// Of a runtime among the inputs, or, by name, of one that comes with Trainer; nothing when it is
/// neither.
std::optional<MlPolicy> ml_policy(const TrainJob& job);

/// Whether a ClusterTrainingRuntime of this name comes with Trainer.
bool is_builtin_runtime(std::string_view runtime_name);

/// The replicated job of this name in the runtime.
View replicated_job(const TrainJob& job, std::string_view name);
/// The one that stands for a step of the TrainJob: `trainer`, `model-initializer`...
View step(View template_spec, std::string_view name);
View pod_spec_of(View replicated_job);
/// A container, or an init container, of a pod.
View container_of(View pod_spec, std::string_view name);

/// What `spec.runtimePatches` says of replicated jobs.
std::vector<View> patched_jobs(View object);

}  // namespace trainyard
