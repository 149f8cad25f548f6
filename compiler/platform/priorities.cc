#include "platform/platform.h"
#include "platform/queues.h"

namespace trainyard {
namespace {

PriorityPlan planned(const PlatformContext& context, const PriorityClass& known) {
  PriorityPlan made;
  made.name = context.given(known.name);
  made.value = context.given(known.value);
  made.global_default = context.given(known.global_default);
  made.description = context.given(known.description);
  if (const auto& policy = known.preemption_policy) {
    made.preemption = {words(*policy)[static_cast<std::size_t>(*policy)], context.from(policy.span),
                       true};
  }
  return made;
}

/// Kueue is there when it is listed, or when jobs go by it in a Cluster that lists no operators.
bool has_kueue(const PlatformContext& context) {
  if (context.cluster.operators) return context.has(Operator::Kueue);
  return uses(context.cluster, QueueSystem::Kueue);
}

void run(PlatformContext& context) {
  const bool kueue = has_kueue(context);
  for (const auto& known : *context.cluster.priority_classes) {
    if (known->existing.value_or(false)) continue;
    const PriorityScope scope = known->applies_to.value_or(PriorityScope::Both);
    if (scope != PriorityScope::Workloads) {
      context.plan.pod_priorities.push_back(planned(context, *known));
    }
    if (scope == PriorityScope::Pods) continue;
    if (kueue) {
      context.plan.workload_priorities.push_back(planned(context, *known));
    } else if (scope == PriorityScope::Workloads) {
      context
          .report(DiagnosticKind::QueueMismatch, known->applies_to.span,
                  "the priority class " + code(*known->name) +
                      " is one of queued workloads, and nothing here queues them by Kueue")
          .note("leave `appliesTo` out for a class of pods, or name Kueue under `operators`");
    }
  }
  if (context.plan.workload_priorities.empty()) return;
  context.plan.kueue_api = context.api(Operator::Kueue, context.cluster.priority_classes.span);
}

}  // namespace

extern const PlatformStep priorities_step{
    "platform-priorities",
    "Priority classes are there for pods, and for the workloads that Kueue queues.", run};

}  // namespace trainyard
