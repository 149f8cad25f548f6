#include <optional>

#include "platform/platform.h"
#include "spec/enum_words.h"

namespace trainyard {
namespace {

constexpr std::string_view kMpi = "mpi";
constexpr std::string_view kFrameworkLabel = "trainer.kubeflow.org/framework";

std::string_view spelled(RuntimeKind kind) {
  return words(kind)[static_cast<std::size_t>(kind)];
}

/// What kubeflow/trainer manifests/base/runtimes call the framework; "" for none that it knows.
std::string_view label_of(RuntimeFramework framework) {
  switch (framework) {
    case RuntimeFramework::Pytorch:
      return "torch";
    case RuntimeFramework::Jax:
      return "jax";
    case RuntimeFramework::Mpi:
      return kMpi;
    case RuntimeFramework::Xgboost:
      return "xgboost";
    case RuntimeFramework::Deepspeed:
      return "deepspeed";
    default:
      return {};
  }
}

/// The policy by which its processes meet; "" for none.
std::string_view policy_of(RuntimeFramework framework) {
  return framework == RuntimeFramework::Deepspeed ? kMpi : label_of(framework);
}

/// The first release with a policy for it: kubeflow/trainer pkg/apis/trainer/v1alpha1
/// trainingruntime_types.go.
std::string_view first_release(RuntimeFramework framework) {
  const bool later = framework == RuntimeFramework::Jax || framework == RuntimeFramework::Xgboost;
  return later ? "2.2" : "2.0";
}

/// The operator that starts the pods together has to be there, and all of them at once: the
/// launcher of mpirun, which waits for the others, never comes to a gang that waits for it.
bool gang_is_possible(PlatformContext& context, const Runtime& known) {
  if (!known.gang) return true;
  const bool volcano = *known.gang == RuntimeGang::Volcano;
  if (!context.has(volcano ? Operator::Volcano : Operator::SchedulerPlugins)) {
    context
        .report(DiagnosticKind::UnsupportedVersion, known.gang.span,
                "a gang of " + code(volcano ? "volcano" : "scheduler-plugins") +
                    ", which is not installed in this cluster")
        .also(context.cluster.operators.span, "the operators that are");
    return false;
  }
  if (!known.framework || policy_of(*known.framework) != kMpi) return true;
  context
      .report(DiagnosticKind::ConflictingValues, known.gang.span,
              "a gang of all pods of the runtime " + code(*known.name) + " would never start")
      .also(known.framework.span, "its launcher is made when the nodes are ready")
      .note("leave `gang` out");
  return false;
}

bool is_possible(PlatformContext& context, const Runtime& known) {
  if (!gang_is_possible(context, known)) return false;
  const auto& framework = known.framework;
  const std::string name = code(*known.name);
  if (!framework || !known.image) {
    context
        .report(DiagnosticKind::MissingFact, known.name.span,
                "the runtime " + name + " is to be made, and the Cluster does not say " +
                    (framework ? "from which image" : "for which framework"))
        .note(framework ? "name its `image`" : "name its `framework`; `none` is for a plain one");
    return false;
  }
  if (*framework == RuntimeFramework::Tensorflow) {
    context
        .report(DiagnosticKind::NotExpressible, framework.span,
                "Trainer has no policy by which the processes of TensorFlow would meet")
        .note("`framework: none` makes a plain runtime, whose program finds its peers itself");
    return false;
  }
  if (*known.kind == RuntimeKind::TrainingRuntime && !known.ns) {
    context
        .report(DiagnosticKind::MissingFact, known.name.span,
                "the runtime " + name +
                    " belongs to one namespace, and the Cluster does not say to which")
        .note("name its `namespace`, or make it a ClusterTrainingRuntime");
    return false;
  }
  const auto installed = context.release_of(Operator::Trainer);
  const auto needed = release(first_release(*framework));
  if (!installed || *installed >= *needed) return true;
  const Text version = operator_version(*context.in.cluster, Operator::Trainer);
  context
      .report(DiagnosticKind::UnsupportedVersion, version.span,
              "Trainer " + std::string(*version) + " has no policy for " +
                  code(words(*framework)[static_cast<std::size_t>(*framework)]) + "; expected " +
                  std::string(first_release(*framework)) + " or later")
      .also(framework.span, "what needs it");
  return false;
}

void by_mpi(PlatformContext& context, const Runtime& known, PlatformRuntime& made) {
  constexpr std::int64_t kSshPort = 22;
  const RuntimeMpi& mpi = *known.mpi;
  made.ssh_directory = context.given(mpi.ssh_auth_mount_path);
  made.user = context.given(mpi.run_as_user);
  made.ssh_port = mpi.ssh_port ? context.given(mpi.ssh_port)
                               : context.computed(kSshPort, {known.framework.span});
  const OriginId origin = context.because({context.from(known.framework.span)});
  made.sshd.push_back({"-De", origin});
  if (!mpi.sshd_config) return;
  made.sshd.push_back({"-f", origin});
  made.sshd.push_back({*mpi.sshd_config, context.from(mpi.sshd_config.span)});
}

void make(PlatformContext& context, const Runtime& known) {
  if (!is_possible(context, known)) return;
  PlatformRuntime made;
  made.kind = {
      spelled(*known.kind),
      known.kind ? context.from(known.kind.span) : context.because({context.from(known.name.span)}),
      true};
  made.name = context.given(known.name);
  if (*known.kind == RuntimeKind::TrainingRuntime) made.ns = context.given(known.ns);
  made.labels = context.plan.labels;
  const std::string_view label = label_of(*known.framework);
  if (!label.empty()) {
    made.labels.push_back({kFrameworkLabel, label, context.from(known.framework.span)});
  }
  made.image = context.given(known.image);
  const std::string_view policy = policy_of(*known.framework);
  if (!policy.empty()) made.policy = context.computed(policy, {known.framework.span});
  if (policy == kMpi) by_mpi(context, known, made);
  if (known.gang) made.gang = {spelling(*known.gang), context.from(known.gang.span), true};
  context.plan.runtimes.push_back(std::move(made));
}

void check_mpi(PlatformContext& context, const Runtime& known) {
  const auto& framework = known.framework;
  const bool ssh = framework && policy_of(*framework) == kMpi;
  if (!known.mpi || ssh) return;
  context.report(DiagnosticKind::NoEffect, known.mpi.span,
                 "only runtimes for mpi and deepspeed go by ssh, so `mpi` has no effect");
}

void run(PlatformContext& context) {
  bool any = false;
  for (const auto& known : *context.cluster.runtimes) {
    if (known->existing.value_or(true)) continue;
    if (!any && !context.has(Operator::Trainer)) {
      context
          .report(DiagnosticKind::UnsupportedVersion, known->name.span,
                  "a runtime of `trainer`, which is not installed in this cluster")
          .also(context.cluster.operators.span, "the operators that are");
      return;
    }
    any = true;
    make(context, *known);
    check_mpi(context, *known);
  }
}

}  // namespace

extern const PlatformStep runtimes_step{
    "platform-runtimes",
    "Runtimes of Trainer have the policy by which the processes of their framework meet, and the "
    "pods that a TrainJob's settings go to.",
    run};

}  // namespace trainyard
