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

void kueue(RuleContext& context, const Wanted& wanted) {
  if (*wanted.queue) {
    const OriginId origin = context.from(*wanted.queue);
    context.set(context.plan.queue, **wanted.queue, origin);
    context.add(context.plan.labels, "kueue.x-k8s.io/queue-name", **wanted.queue, origin);
  }
  if (*wanted.priority) {
    context.add(context.plan.labels, "kueue.x-k8s.io/priority-class", **wanted.priority,
                context.from(*wanted.priority));
  }
}

void run(RuleContext& context) {
  const Wanted wanted = wanted_scheduling(context);
  const bool by_kueue = wanted.system == SchedulingSystem::Kueue;
  if (by_kueue) kueue(context, wanted);
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
    "spec.scheduling cluster.defaults.scheduling",
    "plan.queue plan.labels role.priorityClass role.scheduler",
    run};

}  // namespace trainyard
