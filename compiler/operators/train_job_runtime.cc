#include "operators/train_job_runtime.h"

#include <algorithm>
#include <array>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kGroup = "trainer.kubeflow.org";

struct PolicyField {
  std::string_view field;
  MlPolicy policy;
};
constexpr PolicyField kPolicies[] = {{"torch", MlPolicy::Torch},
                                     {"mpi", MlPolicy::Mpi},
                                     {"jax", MlPolicy::Jax},
                                     {"xgboost", MlPolicy::Xgboost},
                                     {"flux", MlPolicy::Flux}};

/// kubeflow/trainer manifests/base/runtimes
struct OwnRuntime {
  std::string_view name;
  MlPolicy policy;
};
constexpr OwnRuntime kOwn[] = {
    {"torch-distributed", MlPolicy::Torch},      {"torch-distributed-with-cache", MlPolicy::Torch},
    {"torchtune-llama3.2-1b", MlPolicy::Torch},  {"torchtune-llama3.2-3b", MlPolicy::Torch},
    {"torchtune-qwen2.5-1.5b", MlPolicy::Torch}, {"deepspeed-distributed", MlPolicy::Mpi},
    {"mlx-distributed", MlPolicy::Mpi},          {"mpi-distributed", MlPolicy::Mpi},
    {"jax-distributed", MlPolicy::Jax},          {"xgboost-distributed", MlPolicy::Xgboost}};

const OwnRuntime* own_runtime(std::string_view name) {
  const auto* found = std::ranges::find(kOwn, name, &OwnRuntime::name);
  return found == std::end(kOwn) ? nullptr : found;
}

}  // namespace

std::string_view runtime_kind(View train_job) {
  const View kind = get(get(get(train_job, "spec"), "runtimeRef"), "kind");
  return kind ? string_of(kind) : "ClusterTrainingRuntime";
}

TrainJob train_job(View object, CheckContext& context) {
  TrainJob job;
  job.object = object;
  job.trainer = get(get(object, "spec"), "trainer");
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return job;
  const std::string_view kind = runtime_kind(object);
  const bool everywhere = kind == "ClusterTrainingRuntime";
  if (!everywhere && kind != "TrainingRuntime") return job;
  job.runtime = inventory->find(kGroup, kind,
                                everywhere ? "" : string_at(get(object, "metadata"), "namespace"),
                                string_at(get(get(object, "spec"), "runtimeRef"), "name"));
  job.template_spec = get(get(get(job.runtime, "spec"), "template"), "spec");
  return job;
}

std::optional<MlPolicy> ml_policy(const TrainJob& job) {
  if (job) {
    const View policy = get(get(job.runtime, "spec"), "mlPolicy");
    for (const PolicyField& each : kPolicies) {
      if (get(policy, each.field)) return each.policy;
    }
    return MlPolicy::None;
  }
  if (runtime_kind(job.object) != "ClusterTrainingRuntime") return std::nullopt;
  const auto* own = own_runtime(string_at(get(get(job.object, "spec"), "runtimeRef"), "name"));
  if (own == nullptr) return std::nullopt;
  return own->policy;
}

bool is_builtin_runtime(std::string_view runtime_name) {
  return own_runtime(runtime_name) != nullptr;
}

View replicated_job(const TrainJob& job, std::string_view name) {
  for (View each : items_at(job.template_spec, "replicatedJobs")) {
    if (string_at(each, "name") == name) return each;
  }
  return {};
}

View step(View template_spec, std::string_view name) {
  for (View each : items_at(template_spec, "replicatedJobs")) {
    const View labels = get(get(get(each, "template"), "metadata"), "labels");
    if (string_at(labels, "trainer.kubeflow.org/trainjob-ancestor-step") == name) return each;
  }
  return {};
}

View pod_spec_of(View replicated_job) {
  return get(get(get(get(replicated_job, "template"), "spec"), "template"), "spec");
}

View container_of(View pod_spec, std::string_view name) {
  for (std::string_view list : {"containers", "initContainers"}) {
    for (View container : items_at(pod_spec, list)) {
      if (string_at(container, "name") == name) return container;
    }
  }
  return {};
}

std::vector<View> patched_jobs(View object) {
  std::vector<View> jobs;
  for (View patch : items_at(get(object, "spec"), "runtimePatches")) {
    const View spec = get(get(get(patch, "trainingRuntimeSpec"), "template"), "spec");
    for (View job : items_at(spec, "replicatedJobs")) jobs.push_back(job);
  }
  return jobs;
}

}  // namespace trainyard
