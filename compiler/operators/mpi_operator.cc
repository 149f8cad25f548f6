// What the MPI Operator refuses: it checks an MPIJob once its defaults are in, reports what it
// finds as an event, and makes no pod.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>({"Launcher", "Worker"});

/// The replicas of an MPIJob of this operator; an empty view for one of the Training Operator.
View replicas_of(View object) {
  if (string_at(object, "apiVersion") != "kubeflow.org/v2beta1") return {};
  const View replicas = get(get(object, "spec"), "mpiReplicaSpecs");
  return replicas && replicas->is_map() ? replicas : View();
}

void launcher(View object, CheckContext& context) {
  const View replicas = replicas_of(object);
  if (!replicas) return;
  const View launcher = get(replicas, "Launcher");
  if (!launcher) {
    context.refuse_key(replicas, "there is no `Launcher`, and an MPIJob needs one");
    return;
  }
  const View count = get(launcher, "replicas");
  if (const auto number = integer_of(count); number && *number != 1) {
    context.refuse(count, "an MPIJob has 1 `Launcher`, not " + std::to_string(*number));
  }
}

void workers(View object, CheckContext& context) {
  const View worker = get(replicas_of(object), "Worker");
  if (!worker || !worker->is_map()) return;
  const View count = get(worker, "replicas");
  const auto number = integer_of(count);
  if (!count) {
    context.refuse_key(worker,
                       "`replicas` of `Worker` is missing: it is then 0, and must be 1 at "
                       "least");
  } else if (number && *number < 1) {
    context.refuse(count, "`Worker` must have 1 replica at least, not " + std::to_string(*number))
        .note("a job without workers leaves `Worker` out");
  }
}

void templates(View object, CheckContext& context) {
  const View replicas = replicas_of(object);
  for (std::string_view type : kTypes) {
    const View entry = get(replicas, type);
    if (!entry || !entry->is_map() || get(entry, "template")) continue;
    context.refuse_key(entry, shown(type) + " has no pod template");
  }
}

/// Neither the API server nor the operator refuses another type, or reads it.
void types(View object, CheckContext& context) {
  for (View entry : Items(replicas_of(object))) {
    if (std::ranges::find(kTypes, entry.key()) != kTypes.end()) continue;
    Diagnostic& report = context.warn(
        entry, shown(entry.key()) + " is neither `Launcher` nor `Worker`: no pod is made for it");
    if (const auto near = suggest(entry.key(), kTypes)) {
      report.note("`" + std::string(*near) + "` is very likely meant");
    }
  }
}

void restart_policy(View object, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"Never", "OnFailure"});
  for (std::string_view type : kTypes) {
    context.allow(get(get(replicas_of(object), type), "restartPolicy"),
                  "restart policy of an MPIJob", policies);
  }
}

/// As CheckContext::allow, for a word that may be left out and not be empty.
void word(View at, std::string_view what, std::span<const std::string_view> words,
          CheckContext& context) {
  if (at && at.kind() == Kind::String && at->text.empty()) {
    const std::vector<std::string> names(words.begin(), words.end());
    context.refuse(at, shown(at.key()) + " is empty; expected " + listed(names, "or"));
    return;
  }
  context.allow(at, what, words);
}

void run_policy(View object, CheckContext& context) {
  constexpr auto cleaning = std::to_array<std::string_view>({"None", "Running", "All"});
  constexpr auto managers =
      std::to_array<std::string_view>({"kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue"});
  if (!replicas_of(object)) return;
  const View policy = get(get(object, "spec"), "runPolicy");
  word(get(policy, "cleanPodPolicy"), "policy for the pods of a finished job", cleaning, context);
  word(get(policy, "managedBy"), "manager of an MPIJob", managers, context);
  for (std::string_view key :
       {"ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit"}) {
    const View value = get(policy, key);
    if (integer_of(value).value_or(0) < 0) {
      context.refuse(value, shown(key) + " cannot be negative");
    }
  }
}

void slots(View object, CheckContext& context) {
  if (!replicas_of(object)) return;
  const View count = get(get(object, "spec"), "slotsPerWorker");
  if (integer_of(count).value_or(0) < 0) {
    context.refuse(count, "`slotsPerWorker` cannot be negative");
  }
}

constexpr std::string_view kSource =
    "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go";
constexpr OperatorSpan kOperator{.name = "mpi-operator"};

constexpr Check kChecks[] = {
    {.name = "mpi-launcher",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "An MPIJob of the MPI Operator has one Launcher.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go "
               "validateLauncherReplicaSpec",
     .object = launcher,
     .operators = kOperator},
    {.name = "mpi-workers",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "Workers of an MPIJob are counted, and there is one at least.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go "
               "validateWorkerReplicaSpec, pkg/apis/kubeflow/v2beta1/default.go",
     .object = workers,
     .operators = kOperator},
    {.name = "mpi-templates",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "Launcher and Worker of an MPIJob have pod templates.",
     .source = kSource,
     .object = templates,
     .operators = kOperator},
    {.name = "mpi-replica-types",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .on = "kubeflow.org MPIJob",
     .sentence = "An MPIJob of the MPI Operator has no replicas but a Launcher and Workers.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go",
     .object = types,
     .operators = kOperator},
    {.name = "mpi-restart-policy",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "Replicas of an MPIJob are restarted never or on failure.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go "
               "validateReplicaSpec",
     .object = restart_policy,
     .operators = kOperator},
    {.name = "mpi-run-policy",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "The run policy of an MPIJob has words that the operator knows and no negative "
                 "times.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go validateRunPolicy",
     .object = run_policy,
     .operators = kOperator},
    {.name = "mpi-slots",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = "kubeflow.org MPIJob",
     .sentence = "The number of slots of a worker is not negative.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/validation/validation.go "
               "validateMPIJobSpec",
     .object = slots,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> mpi_operator_checks = kChecks;

}  // namespace trainyard
