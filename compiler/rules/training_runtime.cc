#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// What the Cluster says of a runtime; null when it says nothing.
const Located<Runtime>* known_runtime(const RuleContext& context, std::string_view name) {
  if (context.in.cluster == nullptr) return nullptr;
  for (const auto& each : *context.in.cluster->spec->runtimes) {
    if (*each->name == name) return &each;
  }
  return nullptr;
}

std::string_view policy_word(std::string_view framework) {
  return framework == "nemo" ? "pytorch" : framework;
}

/// A runtime for another framework would give the pods other variables.
void check_framework(RuleContext& context, const Runtime& runtime) {
  if (!runtime.framework) return;
  const std::string_view has = spelling(*runtime.framework);
  const std::string_view wanted = policy_word(*context.plan.framework);
  if (has == wanted || has == "none" || wanted == "none" || wanted == "tao") return;
  context
      .report(DiagnosticKind::ConflictingValues, context.spec.runtime.span,
              "runtime " + code(*runtime.name) + " is for " + code(has) + ", the job for " +
                  code(*context.plan.framework))
      .also(runtime.framework.span, "the runtime");
}

/// A TrainingRuntime serves the jobs of its own namespace.
void check_namespace(RuleContext& context, const Runtime& runtime) {
  const Field<std::string_view>& ns = context.plan.ns;
  if (!runtime.ns || !ns || *runtime.ns == *ns) return;
  context
      .report(DiagnosticKind::ConflictingValues, context.spec.runtime.span,
              "runtime " + code(*runtime.name) + " is in namespace " + code(*runtime.ns) +
                  ", the job in " + code(*ns))
      .also(runtime.ns.span, "the runtime");
}

/// The scheduling of pods that only the runtime has, also by wish of the Cluster.
void check_scheduling(RuleContext& context) {
  const auto refuse = [&](const Field<std::string_view>& field, std::string_view what) {
    if (!field) return;
    context
        .report(DiagnosticKind::NotExpressible, context.place(field.origin),
                "target " + code(context.in.target->name) +
                    " cannot express, with a runtime that exists, the " + std::string(what) +
                    " of pods")
        .note("leave `runtime` out, and one is made for the job");
  };
  const Role& role = context.plan.roles.front();
  refuse(role.priority_class, "priority");
  refuse(role.scheduler, "scheduler");
}

/// The default of the runtime's own schema; a policy without any field would be none.
void set_timeout(RuleContext& context) {
  constexpr std::int64_t kDefault = 60;
  GangPlan& gang = context.plan.gang;
  if (!gang.system || *gang.system != "coscheduling" || gang.timeout) return;
  context.set(gang.timeout, kDefault, context.by_default("spec.scheduling.timeout"));
}

/// Volcano takes no limit for the wait; one pod is no gang, and says its queue itself.
void check_volcano(RuleContext& context) {
  const GangPlan& gang = context.plan.gang;
  if (gang.system && *gang.system == "volcano" && gang.timeout) {
    context
        .report(
            DiagnosticKind::NotExpressible, context.place(gang.timeout.origin),
            "target " + code(context.in.target->name) + " cannot express a `timeout` of Volcano")
        .note("the Trainer gives Volcano's groups none");
  }
  const Field<std::string_view>& queue = context.plan.queue;
  if (!queue) return;
  if (gang.system) {
    if (*gang.system != "volcano") return;
    context.add(context.plan.runtime.annotations, "scheduling.volcano.sh/queue-name", *queue,
                queue.origin);
    return;
  }
  for (Role& role : context.plan.roles) {
    if (!role.scheduler || *role.scheduler != "volcano") continue;
    context.add(role.pod_annotations, "scheduling.volcano.sh/queue-name", *queue, queue.origin);
  }
}

void refer(RuleContext& context, RuntimePlan& plan) {
  const Text& wanted = context.spec.runtime;
  const OriginId origin = context.from(wanted);
  if (has_programs(context.spec)) {
    context
        .report(DiagnosticKind::ConflictingValues, wanted.span,
                "a runtime that exists says which programs run, and so do the `roles`")
        .note("leave out `runtime`, and one is made");
  }
  context.set(plan.exists, true, origin);
  context.set(plan.name, *wanted, origin);
  const std::string_view own_kind = context.in.target->runtime_kind;
  if (!own_kind.empty()) {
    context.set(plan.kind, own_kind, origin);
    return check_scheduling(context);
  }
  RuntimeKind kind = RuntimeKind::ClusterTrainingRuntime;
  if (const Located<Runtime>* known = known_runtime(context, *wanted)) {
    kind = (*known)->kind.value_or(kind);
    check_framework(context, **known);
    if (kind == RuntimeKind::TrainingRuntime) check_namespace(context, **known);
  }
  context.set(plan.kind, spelling(kind), origin);
  check_scheduling(context);
}

/// Which of its ways to bring ranks together the runtime takes.
std::string_view policy_of(const RuleContext& context) {
  if (has_programs(context.spec)) return "programs";
  if (started_by_mpirun(context)) return "mpi";
  const std::string_view framework = policy_word(*context.plan.framework);
  if (framework == "pytorch") return "torch";
  return framework == "jax" || framework == "xgboost" ? framework : "plain";
}

void run(RuleContext& context) {
  if (!context.in.target->runtimes) return;
  RuntimePlan& plan = context.plan.runtime;
  const std::string_view own_kind = context.in.target->runtime_kind;
  if (own_kind.empty()) {
    set_timeout(context);
    check_volcano(context);
  }
  if (context.spec.runtime) return refer(context, plan);
  const OriginId origin = context.by_default("spec.runtime");
  // A run is named by what is in its runtime, too.
  const std::string_view name = *context.plan.name;
  const bool is_run = name != *context.plan.job;
  context.set(plan.name, is_run ? name : context.text(name, "-", kUnnamedRuntime), origin);
  context.set(plan.kind, own_kind.empty() ? std::string_view("TrainingRuntime") : own_kind, origin);
  context.set(plan.policy, policy_of(context), context.because({context.plan.framework.origin}));
}

}  // namespace

extern const Rule training_runtime_rule{
    "training-runtime",
    Rule::Phase::Infer,
    "A job refers to the runtime that its spec names, else to one that is made for it.",
    "A runtime that jobs share must not change under those that run, so one that is made is named "
    "by its content; it belongs to the namespace, for one of the whole cluster takes the rights of "
    "an administrator (kubeflow/trainer pkg/apis/trainer/v1alpha1/trainjob_types.go RuntimeRef).",
    "spec.runtime cluster.runtimes.name cluster.runtimes.kind cluster.runtimes.namespace "
    "cluster.runtimes.framework plan.job plan.name plan.namespace plan.framework plan.gang "
    "plan.queue "
    "role.scheduler role.priorityClass "
    "spec.run spec.roles target.runtimes target.runtimeKind target.mpirun target.roles",
    "plan.runtime plan.runtimeAnnotations plan.gang role.podAnnotations",
    run};

}  // namespace trainyard
