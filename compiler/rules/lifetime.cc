#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void set_seconds(RuleContext& context, Field<std::int64_t>& field, const Duration& wanted) {
  if (wanted) context.set(field, wanted->count, context.from(wanted));
}

/// A deadline of no time at all kills the job as soon as it starts.
void check_deadline(RuleContext& context, const Duration& wanted) {
  if (!wanted || wanted->count > 0) return;
  context
      .report(DiagnosticKind::OutOfRange, wanted.span, "a deadline of no time; expected 1s or more")
      .note("leave `deadline` out for a job that may run for ever");
}

/// A node is drained, and a job ends, only when its pods have stopped.
void check_grace_period(RuleContext& context, const Duration& wanted) {
  constexpr std::int64_t kDay = 86'400;
  if (!wanted || wanted->count <= kDay) return;
  context
      .report(DiagnosticKind::RunsWrong, wanted.span,
              "a pod that is stopped and does not end by itself keeps its GPUs for " +
                  std::to_string(wanted->count / kDay) + " more days")
      .note(
          "write the time that a last checkpoint takes, such as `10m`; `deadline` limits the job");
}

/// Where each start has the deadline for itself, a job may take longer in all.
void check_whole_deadline(RuleContext& context, const Duration& wanted) {
  const Field<std::int64_t>& restarts = context.plan.lifecycle.restarts;
  if (!wanted || !context.in.target->deadline_of_each_start) return;
  if (!restarts || *restarts == 0) return;
  context
      .report(DiagnosticKind::NotExpressible, wanted.span,
              "target " + code(context.in.target->name) +
                  " cannot express a `deadline` over all starts of a job")
      .also(context.place(restarts.origin), "there may be several")
      .note("it counts the deadline again for each start; leave `deadline` or `retries` out");
}

/// Kueue owns the field: it suspends a job at creation and resumes it on admission. Schedulers that
/// have queues, too, look at pods, and a suspended job has none.
void set_suspend(RuleContext& context, const Flag& wanted) {
  if (!wanted.value_or(false)) return;
  const OriginId origin = context.from(wanted);
  if (!context.plan.system || *context.plan.system != "kueue") {
    return context.set(context.plan.lifecycle.suspend, true, origin);
  }
  context
      .report(DiagnosticKind::ConflictingValues, wanted.span,
              "`suspend` belongs to the queueing system of this job")
      .also(context.place(context.plan.queue.origin), "the queue")
      .note("Kueue holds the job until it is admitted; the LocalQueue itself can be stopped");
}

void run(RuleContext& context) {
  const Lifecycle& whole = *context.spec.lifecycle;
  set_seconds(context, context.plan.lifecycle.deadline, whole.deadline);
  set_seconds(context, context.plan.lifecycle.ttl, whole.ttl);
  set_suspend(context, whole.suspend);
  for (const RoleInput& input : context.roles) {
    const Lifecycle& wanted = *context.of(input, &RoleFields::lifecycle);
    check_deadline(context, wanted.deadline);
    check_whole_deadline(context, wanted.deadline);
    check_grace_period(context, wanted.grace_period);
    set_seconds(context, input.role->deadline, wanted.deadline);
    set_seconds(context, input.role->ttl, wanted.ttl);
    set_seconds(context, input.role->grace_period, wanted.grace_period);
  }
}

}  // namespace

extern const Rule lifetime_rule{
    "lifetime",
    Rule::Phase::Infer,
    "Deadline, time to live and grace period are whole seconds in the fields that the system has; "
    "a job that is to wait is suspended.",
    "The deadline of a Job wins over its retries (kubernetes/kubernetes "
    "pkg/controller/job/job_controller.go).",
    "spec.lifecycle.deadline spec.lifecycle.ttl spec.lifecycle.gracePeriod spec.lifecycle.suspend "
    "spec.roles "
    "plan.queue plan.system plan.lifecycle.restarts target.failures",
    "plan.lifecycle.deadline plan.lifecycle.ttl plan.lifecycle.suspend role.deadline role.ttl "
    "role.gracePeriod",
    run};

}  // namespace trainyard
