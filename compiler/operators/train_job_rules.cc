// What Trainer refuses in a TrainJob: in its webhook, which reads the job together with its
// runtime, and in its controller, which then makes a JobSet of both.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/object_name.h"
#include "operators/tables.h"
#include "operators/train_job_runtime.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kGroup = "trainer.kubeflow.org";

View reference_of(View object) {
  return get(get(object, "spec"), "runtimeRef");
}

/// Who gives us runtimes gives us all of them, save those that come with Trainer.
void runtime_is_there(View object, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  const View name = get(reference_of(object), "name");
  if (inventory == nullptr || string_of(name).empty()) return;
  const std::string_view kind = runtime_kind(object);
  const bool everywhere = kind == "ClusterTrainingRuntime";
  if (!everywhere && kind != "TrainingRuntime") return;
  const std::string_view space = string_at(get(object, "metadata"), "namespace");
  if (inventory->has(kGroup, kind, everywhere ? "" : space, name->text)) return;
  const std::string_view other = everywhere ? "TrainingRuntime" : "ClusterTrainingRuntime";
  const std::string missing = "there is no " + std::string(kind) + " " + shown(name->text);
  if (inventory->has(kGroup, other, everywhere ? space : "", name->text)) {
    context.refuse(name, missing + ", but a " + std::string(other) + " of this name")
        .note("`runtimeRef.kind` is `ClusterTrainingRuntime` where it is left out");
    return;
  }
  if (everywhere && is_builtin_runtime(name->text)) return;
  for (View each : inventory->named(kGroup, kind, name->text)) {
    context.refuse(name, missing + " in namespace " + shown(space))
        .also(context.place(get(get(each, "metadata"), "namespace")), "it is in this one");
    return;
  }
  if (!inventory->has_any(kGroup, kind)) return;
  Diagnostic& report = context.refuse(name, missing + " among the inputs or in the Cluster");
  if (const auto near = suggest(name->text, inventory->names(kGroup, kind))) {
    report.note("`" + std::string(*near) + "` is very likely meant");
  }
}

/// Whether a container of the runtime, or what patches say of it, mounts a volume.
bool mounts(const TrainJob& job, std::string_view role, std::string_view volume) {
  std::vector<View> jobs = patched_jobs(job.object);
  jobs.push_back(replicated_job(job, role));
  for (View each : jobs) {
    if (string_at(each, "name") != role) continue;
    for (View container : items_at(pod_spec_of(each), "containers")) {
      if (string_at(container, "name") != role) continue;
      for (View mount : items_at(container, "volumeMounts")) {
        if (string_at(mount, "name") == volume) return true;
      }
    }
  }
  return false;
}

/// Those of Trainer's own runtimes that have a job `node` and no initializers.
/// kubeflow/trainer manifests/base/runtimes
void initializers_of_own(View object, View initializer, CheckContext& context) {
  constexpr auto without = std::to_array<std::string_view>(
      {"torch-distributed", "deepspeed-distributed", "mlx-distributed", "jax-distributed"});
  const View name = get(reference_of(object), "name");
  if (runtime_kind(object) != "ClusterTrainingRuntime" ||
      std::ranges::find(without, string_of(name)) == without.end()) {
    return;
  }
  for (std::string_view kind : {"dataset", "model"}) {
    const View own = get(initializer, kind);
    if (!own) continue;
    context
        .warn(own, "runtime " + shown(name->text) +
                       " as Trainer installs it has no replicated job " +
                       shown(std::string(kind) + "-initializer") + ", which `initializer." +
                       std::string(kind) + "` needs")
        .also(context.place(name), "the runtime");
  }
}

void initializers(View object, CheckContext& context) {
  const View initializer = get(get(object, "spec"), "initializer");
  if (!initializer) return;
  const TrainJob job = train_job(object, context);
  if (!job) return initializers_of_own(object, initializer, context);
  const bool is_new = context.versions().within({.name = "trainer", .since = "2.3"});
  for (std::string_view kind : {"dataset", "model"}) {
    const View own = get(initializer, kind);
    if (!own) continue;
    const std::string role = std::string(kind) + "-initializer";
    const std::string runtime = "runtime " + shown(string_at(reference_of(object), "name"));
    const View replicated = replicated_job(job, role);
    if (!replicated) {
      context.refuse_key(own, runtime + " has no replicated job " + shown(role) +
                                  ", which `initializer." + std::string(kind) + "` needs");
    } else if (!container_of(pod_spec_of(replicated), role)) {
      context.refuse_key(own, "replicated job " + shown(role) + " of " + runtime +
                                  " has no container of this name");
    } else if (is_new && !mounts(job, role, "initializer")) {
      context.refuse_key(own, "container " + shown(role) + " of " + runtime +
                                  " does not mount a volume `initializer`");
    }
  }
}

/// The merge adds what it does not find; what it adds has no image, and never becomes a pod.
void patch_targets(View object, CheckContext& context) {
  const std::vector<View> patched = patched_jobs(object);
  if (patched.empty()) return;
  const TrainJob job = train_job(object, context);
  if (!job) return;
  const std::string runtime = "runtime " + shown(string_at(reference_of(object), "name"));
  std::vector<std::string_view> names;
  for (View each : items_at(job.template_spec, "replicatedJobs")) {
    names.push_back(string_at(each, "name"));
  }
  for (View each : patched) {
    const View name = get(each, "name");
    if (string_of(name).empty()) continue;
    const View replicated = replicated_job(job, name->text);
    if (!replicated) {
      const std::vector<std::string> all(names.begin(), names.end());
      context.refuse(name, runtime + " has no replicated job " + shown(name->text) +
                               (all.empty() ? std::string() : "; it has " + listed(all, "and")));
      continue;
    }
    for (std::string_view list : {"initContainers", "containers"}) {
      for (View container : items_at(pod_spec_of(each), list)) {
        const View own = get(container, "name");
        if (string_of(own).empty() || container_of(pod_spec_of(replicated), own->text)) continue;
        context.refuse(own, "replicated job " + shown(name->text) + " of " + runtime +
                                " has no container " + shown(own->text));
      }
    }
  }
}

constexpr auto kTorchNames = std::to_array<std::string_view>(
    {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"});
constexpr auto kMpiNames = std::to_array<std::string_view>(
    {"OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args", "OMPI_MCA_orte_keep_fqdn_hostnames",
     "OMPI_MCA_orte_set_default_slots"});
constexpr auto kXgboostNames = std::to_array<std::string_view>(
    {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"});

std::span<const std::string_view> reserved_by(MlPolicy policy, const Versions& versions) {
  if (policy == MlPolicy::Torch) return kTorchNames;
  if (policy == MlPolicy::Mpi && versions.within({.name = "trainer", .since = "2.3"})) {
    return kMpiNames;
  }
  if (policy == MlPolicy::Xgboost) return kXgboostNames;
  return {};
}

void reserved_env(View object, CheckContext& context) {
  const TrainJob job = train_job(object, context);
  const auto policy = ml_policy(job);
  if (!policy) return;
  const auto reserved = reserved_by(*policy, context.versions());
  for (View variable : items_at(job.trainer, "env")) {
    const View name = get(variable, "name");
    if (std::ranges::find(reserved, string_of(name)) == reserved.end()) continue;
    context.refuse(name, "Trainer sets " + shown(name->text) + " itself: leave it out");
  }
}

void counts(View object, CheckContext& context) {
  const View trainer = get(get(object, "spec"), "trainer");
  const View nodes = get(trainer, "numNodes");
  if (integer_of(nodes).value_or(1) < 1) {
    context.refuse(nodes, "`numNodes` must be 1 at least: no pod is made for less");
  }
  const View processes = get(trainer, "numProcPerNode");
  if (integer_of(processes).value_or(1) >= 1) return;
  const std::string message = "`numProcPerNode` must be 1 at least";
  const auto policy = ml_policy(train_job(object, context));
  if (policy == MlPolicy::Flux) {
    context.refuse(processes, message);
  } else {
    context.warn(processes, message + ": no process would train");
  }
}

void mpi_nodes(View object, CheckContext& context) {
  const TrainJob job = train_job(object, context);
  const View nodes = get(job.trainer, "numNodes");
  if (!job || integer_of(nodes).value_or(1) < 2) return;
  const View mpi = get(get(get(job.runtime, "spec"), "mlPolicy"), "mpi");
  if (!is_true(get(mpi, "runLauncherAsNode"))) return;
  if (replicated_job(job, "launcher") && replicated_job(job, "node")) return;
  context.refuse(nodes,
                 "`numNodes` must be 1: the runtime runs the launcher as a node, and lacks "
                 "a replicated job `launcher` or `node` for more");
}

void flux_trainer(View object, CheckContext& context) {
  const TrainJob job = train_job(object, context);
  if (!job || ml_policy(job) != MlPolicy::Flux || get(job.trainer, "numNodes")) return;
  context.refuse_key(job.trainer ? job.trainer : get(object, "spec"),
                     "with a runtime for Flux a TrainJob needs `numNodes` of `trainer`: the "
                     "controller reads it there, whatever the runtime says");
}

void volcano_queue(View object, CheckContext& context) {
  constexpr std::string_view key = "scheduling.volcano.sh/queue-name";
  const TrainJob job = train_job(object, context);
  if (!job || !get(get(get(job.runtime, "spec"), "podGroupPolicy"), "volcano")) return;
  View queue =
      get(get(get(get(get(job.runtime, "spec"), "template"), "metadata"), "annotations"), key);
  View place = reference_of(object);
  for (View patch : items_at(get(object, "spec"), "runtimePatches")) {
    const View metadata = get(get(get(patch, "trainingRuntimeSpec"), "template"), "metadata");
    if (const View own = get(get(metadata, "annotations"), key)) queue = place = own;
  }
  if (!queue || queue.kind() != Kind::String || !queue->text.empty()) return;
  context.refuse(place, "the annotation with the Volcano queue is empty");
}

/// Trainer looks the priority class up when Volcano schedules the pods.
void volcano_priority(View object, CheckContext& context) {
  const TrainJob job = train_job(object, context);
  if (!job || !get(get(get(job.runtime, "spec"), "podGroupPolicy"), "volcano")) return;
  const Inventory& inventory = *context.inventory();
  for (View each : items_at(job.template_spec, "replicatedJobs")) {
    const std::string_view name = string_at(pod_spec_of(each), "priorityClassName");
    if (name.empty() || name.starts_with("system-")) continue;
    if (inventory.has("scheduling.k8s.io", "PriorityClass", "", name)) continue;
    if (!inventory.has_any("scheduling.k8s.io", "PriorityClass")) continue;
    context.refuse(reference_of(object), "replicated job " + shown(string_at(each, "name")) +
                                             " of the runtime wants priority class " + shown(name) +
                                             ", which is not among the inputs or in the Cluster");
  }
}

/// What the TrainJob says of its trainer goes to the replicated job with the label of this step.
void trainer_step(View object, CheckContext& context) {
  const TrainJob job = train_job(object, context);
  if (!job || !job.trainer || !has_items(job.trainer) || step(job.template_spec, "trainer")) return;
  for (View each : patched_jobs(object)) {
    if (get(get(get(each, "template"), "metadata"), "labels")) return;
  }
  context
      .warn(job.trainer, "no replicated job of runtime " +
                             shown(string_at(reference_of(object), "name")) +
                             " has the label of step `trainer`: this has little or no effect")
      .note("the label is `trainer.kubeflow.org/trainjob-ancestor-step: trainer`");
}

void patches_stay(View object, CheckContext& context) {
  const View old = context.old();
  if (!old) return;
  const View before = get(old, "spec");
  const View now = get(object, "spec");
  if (is_true(get(before, "suspend")) || is_true(get(now, "suspend"))) return;
  constexpr auto free = std::to_array<std::string_view>({"time"});
  const View was = get(before, "runtimePatches");
  const View is = get(now, "runtimePatches");
  const View at = changed(was, is, {.free = free, .filled = {}});
  if (!at && !(has_items(was) && !is)) return;
  context.refuse(at ? at : now, "`runtimePatches` can only change while the TrainJob is suspended")
      .note("suspend it before or together with the change");
}

constexpr std::string_view kJobSetPlugin =
    "kubeflow/trainer pkg/runtime/framework/plugins/jobset/jobset.go Validate";
constexpr std::string_view kOn = "trainer.kubeflow.org TrainJob";
constexpr OperatorSpan kOperator{.name = "trainer"};
constexpr OperatorSpan kWithPatches{.name = "trainer", .since = "2.2"};

constexpr Check kChecks[] = {
    {.name = "train-job-runtime",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence =
         "The runtime of a TrainJob is there: among the inputs, in the Cluster, or one that "
         "comes with Trainer.",
     .source = "kubeflow/trainer pkg/runtime/core/trainingruntime.go ValidateObjects",
     .object = runtime_is_there,
     .operators = kOperator},
    {.name = "train-job-initializers",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence = "The runtime has the job, the container and the volume that an initializer needs.",
     .source = kJobSetPlugin,
     .object = initializers,
     .operators = kOperator},
    {.name = "train-job-patch-targets",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence = "Patches are for replicated jobs and containers that the runtime has.",
     .source = kJobSetPlugin,
     .object = patch_targets,
     .operators = kWithPatches},
    {.name = "train-job-reserved-env",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence = "A TrainJob sets no variable that its runtime's policy sets.",
     .source = "kubeflow/trainer pkg/constants/constants.go TorchRunReservedEnvNames, "
               "MPIReservedEnvNames, XGBoostReservedEnvNames",
     .object = reserved_env,
     .operators = kOperator},
    {.name = "train-job-counts",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kOn,
     .sentence = "A TrainJob has one node and one process at least.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/jobset/jobset.go SyncParallelCount, "
               "flux/flux.go Validate",
     .object = counts,
     .operators = kOperator},
    {.name = "train-job-mpi-nodes",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence = "Several nodes of MPI need a launcher and nodes in the runtime.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/mpi/mpi.go Validate",
     .object = mpi_nodes,
     .operators = kOperator},
    {.name = "train-job-flux-trainer",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kOn,
     .sentence = "A TrainJob for Flux says how many nodes it has.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/flux/flux.go "
               "generateInitEntrypoint",
     .object = flux_trainer,
     .operators = {.name = "trainer", .since = "2.2"}},
    {.name = "train-job-volcano-queue",
     .group = CheckGroup::Queue,
     .on = kOn,
     .sentence = "The Volcano queue of a TrainJob is not empty.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/volcano/volcano.go Validate",
     .object = volcano_queue,
     .operators = {.name = "trainer", .since = "2.1"}},
    {.name = "train-job-volcano-priority",
     .group = CheckGroup::Queue,
     .on = kOn,
     .sentence = "With Volcano the priority classes that the runtime names are there.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/volcano/volcano.go Validate",
     .object = volcano_priority,
     .operators = {.name = "trainer", .since = "2.1"}},
    {.name = "train-job-trainer-step",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .on = kOn,
     .sentence = "The runtime has a place for what a TrainJob says of its trainer.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/jobset/builder.go Trainer",
     .object = trainer_step,
     .operators = kOperator},
    {.name = "train-job-patches-stay",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence = "Patches of the runtime change while the TrainJob is suspended only.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/jobset/jobset.go "
               "checkRuntimePatchesImmutability",
     .object = patches_stay,
     .operators = kWithPatches},
};

}  // namespace

constinit const std::span<const Check> train_job_checks = kChecks;

}  // namespace trainyard
