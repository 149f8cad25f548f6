// What Trainer refuses in a TrainingRuntime or ClusterTrainingRuntime, or in every TrainJob that
// names it.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "operators/train_job_runtime.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct Step {
  std::string_view name;
  std::string_view container;  // that the TrainJob's settings go to
};
constexpr Step kSteps[] = {{"trainer", "node"},
                           {"model-initializer", "model-initializer"},
                           {"dataset-initializer", "dataset-initializer"}};

constexpr std::string_view kStepLabel = "trainer.kubeflow.org/trainjob-ancestor-step";

View template_of(View runtime) {
  return get(get(get(runtime, "spec"), "template"), "spec");
}
View policy_of(View runtime, std::string_view name) {
  return get(get(get(runtime, "spec"), "mlPolicy"), name);
}

/// manifests/base/webhook/patch_validating.yaml
bool skips_webhook(View runtime) {
  const View labels = get(get(runtime, "metadata"), "labels");
  return string_at(labels, "trainer.kubeflow.org/webhook-validation") == "disabled";
}

void steps(View runtime, CheckContext& context) {
  if (skips_webhook(runtime)) return;
  for (View job : items_at(template_of(runtime), "replicatedJobs")) {
    const View label = get(get(get(get(job, "template"), "metadata"), "labels"), kStepLabel);
    const auto* step = std::ranges::find(kSteps, string_of(label), &Step::name);
    if (step == std::end(kSteps)) continue;
    const View count = get(job, "replicas");
    if (const auto number = integer_of(count); number && *number != 1) {
      context.refuse(count, "the replicated job of step " + shown(step->name) +
                                " has 1 replica, not " + std::to_string(*number));
    }
    const Items containers = items_at(pod_spec_of(job), "containers");
    if (std::any_of(containers.begin(), containers.end(), [&](View container) {
          return string_at(container, "name") == step->container;
        })) {
      continue;
    }
    const View list = get(pod_spec_of(job), "containers");
    context
        .refuse(list ? list : label, "step " + shown(step->name) + " needs a container " +
                                         shown(step->container) + ", and there is none")
        .also(context.place(label), "the step");
  }
}

void env_targets(View runtime, CheckContext& context) {
  const View injection = get(policy_of(runtime, "torch"), "envInjection");
  for (View target : items_at(injection, "targets")) {
    const View name = get(target, "jobName");
    View job;
    for (View each : items_at(template_of(runtime), "replicatedJobs")) {
      if (string_at(each, "name") == string_of(name)) job = each;
    }
    if (!job) {
      if (string_of(name).empty()) continue;
      context.refuse(
          name, "there is no replicated job " + shown(name->text) + " to inject variables into");
      continue;
    }
    for (View container : items_at(target, "containerNames")) {
      if (container_of(pod_spec_of(job), string_of(container))) continue;
      context.refuse(container, shown(string_of(name)) + " has no container " +
                                    shown(string_of(container)) + " to inject variables into");
    }
  }
}

void mpi(View runtime, CheckContext& context) {
  const View kind = get(policy_of(runtime, "mpi"), "mpiImplementation");
  if (!kind || kind.kind() != Kind::String || !kind->text.empty()) return;
  context.refuse(kind, "`mpiImplementation` is empty; leave it out or write `OpenMPI`");
}

void flux(View runtime, CheckContext& context) {
  if (!policy_of(runtime, "flux")) return;
  for (View job : items_at(template_of(runtime), "replicatedJobs")) {
    if (string_at(job, "name") != "node") continue;
    for (View container : items_at(pod_spec_of(job), "initContainers")) {
      const View name = get(container, "name");
      if (string_of(name) != "flux-installer") continue;
      context.refuse(name, "the Flux policy adds the init container `flux-installer` itself");
    }
  }
}

/// A runtime is taken with such numbers, and a TrainJob that leaves them to it is not, or has no
/// pod.
void counts(View runtime, CheckContext& context) {
  const View policy = get(get(runtime, "spec"), "mlPolicy");
  const View nodes = get(policy, "numNodes");
  if (integer_of(nodes).value_or(1) < 1) {
    context.warn(nodes, "`numNodes` must be 1 at least: no pod is made for less");
  }
  for (std::string_view kind : {"flux", "mpi"}) {
    const View processes = get(get(policy, kind), "numProcPerNode");
    if (integer_of(processes).value_or(1) >= 1) continue;
    context.warn(processes, "`numProcPerNode` must be 1 at least: no process would train");
  }
}

/// Processes meet at `<TrainJob>-node-0-0.<TrainJob>`, whatever the runtime calls its jobs.
void rendezvous(View runtime, CheckContext& context) {
  const View spec = template_of(runtime);
  const View trainer = step(spec, "trainer");
  const bool meets =
      policy_of(runtime, "torch") || policy_of(runtime, "jax") || policy_of(runtime, "xgboost");
  if (!meets || !trainer) return;
  const View name = get(trainer, "name");
  if (!string_of(name).empty() && name->text != "node") {
    context.warn(name,
                 "the processes look for the first one under `<job>-node-0-0`, but the "
                 "replicated job of the trainer is called " +
                     shown(name->text) + "; call it `node`");
  }
  const View network = get(spec, "network");
  if (const View subdomain = get(network, "subdomain"); !string_of(subdomain).empty()) {
    context.warn(subdomain,
                 "the processes look for the first one in a subdomain that is called "
                 "like the TrainJob, and this gives it another name");
  }
  if (const View hostnames = get(network, "enableDNSHostnames"); is_false(hostnames)) {
    context.warn(hostnames,
                 "the processes look for the first one by its host name, and this "
                 "leaves the pods without");
  }
}

constexpr std::string_view kBoth = "trainer.kubeflow.org TrainingRuntime ClusterTrainingRuntime";
constexpr OperatorSpan kOperator{.name = "trainer"};

constexpr Check kChecks[] = {
    {.name = "training-runtime-steps",
     .group = CheckGroup::Training,
     .on = kBoth,
     .sentence = "The replicated job of a step has one replica and the container that the settings "
                 "of a TrainJob go to.",
     .source = "kubeflow/trainer pkg/webhooks/trainingruntime_webhook.go validateReplicatedJobs",
     .object = steps,
     .operators = kOperator},
    {.name = "training-runtime-env-targets",
     .group = CheckGroup::Training,
     .on = kBoth,
     .sentence = "Variables of torchrun are injected into containers that there are.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/torch/torch.go "
               "validateEnvInjectionTargets",
     .object = env_targets,
     .operators = {.name = "trainer", .since = "2.3"}},
    {.name = "training-runtime-mpi",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kBoth,
     .sentence = "A runtime for MPI names an implementation that Trainer knows.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/mpi/mpi.go EnforceMLPolicy",
     .object = mpi,
     .operators = kOperator},
    {.name = "training-runtime-flux",
     .group = CheckGroup::Training,
     .on = kBoth,
     .sentence = "A runtime for Flux leaves the container that installs it to Trainer.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/flux/flux.go Validate",
     .object = flux,
     .operators = kOperator},
    {.name = "training-runtime-counts",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kBoth,
     .sentence = "A runtime has one node and one process at least.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/flux/flux.go Validate, "
               "pkg/runtime/framework/plugins/jobset/jobset.go SyncParallelCount",
     .object = counts,
     .operators = kOperator},
    {.name = "training-runtime-rendezvous",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kBoth,
     .sentence = "The pods of the trainer have the names under which their processes meet.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/torch/torch.go EnforceMLPolicy, "
               "jax/jax.go, xgboost/xgboost.go",
     .object = rendezvous,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> training_runtime_checks = kChecks;

}  // namespace trainyard
