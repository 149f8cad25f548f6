#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

struct Wanted {
  SchedulingSystem system = SchedulingSystem::None;
  const Text* queue = nullptr;
  const Text* priority = nullptr;
  const Text* scheduler = nullptr;
};

Wanted wanted_scheduling(const RuleContext& context) {
  static const DefaultScheduling kNothing{};
  const Scheduling& own = *context.spec.scheduling;
  const DefaultScheduling& cluster =
      context.in.cluster == nullptr ? kNothing : *context.in.cluster->spec->defaults->scheduling;
  Wanted result;
  result.system = own.system ? *own.system : cluster.system.value_or(SchedulingSystem::None);
  result.queue = own.queue ? &own.queue : &cluster.queue;
  result.priority = own.priority ? &own.priority : &cluster.priority;
  result.scheduler = own.scheduler_name ? &own.scheduler_name : &cluster.scheduler_name;
  return result;
}

/// Only the job itself is queued: on its pods the labels would make more of them to admit.
void kueue(RuleContext& context, const Wanted& wanted) {
  auto& labels = context.plan.workload_labels;
  if (*wanted.queue) {
    const OriginId origin = context.from(*wanted.queue);
    context.set(context.plan.queue, **wanted.queue, origin);
    context.add(labels, "kueue.x-k8s.io/queue-name", **wanted.queue, origin);
  } else {
    const auto& system = context.spec.scheduling->system;
    context
        .report(DiagnosticKind::QueueMismatch, system ? system.span : context.in.job->spec.span,
                "Kueue takes no job without the name of a queue")
        .note("name a LocalQueue in `scheduling.queue`, or in the Cluster's defaults");
  }
  if (*wanted.priority) {
    context.add(labels, "kueue.x-k8s.io/priority-class", **wanted.priority,
                context.from(*wanted.priority));
  }
}

/// A queue of the Cluster's defaults is only what would be used; one in the spec is a wish.
void check_queue_is_used(RuleContext& context) {
  const Text& queue = context.spec.scheduling->queue;
  if (!queue) return;
  context
      .report(DiagnosticKind::QueueMismatch, queue.span,
              "the queue " + code(*queue) + " belongs to no scheduling system")
      .note("name the system in `scheduling.system`, such as `kueue`");
}

/// An operator that a Cluster does not list, where it lists any, is not there.
void check_is_installed(RuleContext& context) {
  if (context.in.cluster == nullptr) return;
  const Cluster& cluster = *context.in.cluster;
  if (!cluster.spec->operators || operator_version(cluster, Operator::Kueue)) return;
  const auto& own = context.spec.scheduling->system;
  const auto& system = own ? own : cluster.spec->defaults->scheduling->system;
  context
      .report(DiagnosticKind::QueueMismatch, system.span, "Kueue is not installed in this cluster")
      .also(cluster.spec->operators.span, "the operators that are");
}

void run(RuleContext& context) {
  const Wanted wanted = wanted_scheduling(context);
  const bool by_kueue = wanted.system == SchedulingSystem::Kueue;
  context.plan.workload_labels = context.plan.labels;
  context.plan.workload_annotations = context.plan.annotations;
  if (by_kueue) {
    check_is_installed(context);
    kueue(context, wanted);
  }
  if (wanted.system == SchedulingSystem::None) check_queue_is_used(context);
  for (Role& role : context.plan.roles) {
    if (*wanted.priority && !by_kueue) {
      context.set(role.priority_class, **wanted.priority, context.from(*wanted.priority));
    }
    if (*wanted.scheduler) {
      context.set(role.scheduler, **wanted.scheduler, context.from(*wanted.scheduler));
    }
  }
}

}  // namespace

extern const Rule queueing_rule{
    "queueing",
    Rule::Phase::Infer,
    "The job goes to its queue with its priority, by the labels and fields of the queueing system.",
    "Kueue suspends and resumes the job itself, so `suspend` is never written; its priority is a "
    "WorkloadPriorityClass, not that of the pods (kubernetes-sigs/kueue pkg/controller/constants).",
    "spec.scheduling cluster.defaults.scheduling cluster.operators plan.labels plan.annotations",
    "plan.queue plan.workloadLabels plan.workloadAnnotations role.priorityClass role.scheduler",
    run};

}  // namespace trainyard
