#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

void set_seconds(RuleContext& context, Field<std::int64_t>& field, const Duration& wanted) {
  if (wanted) context.set(field, wanted->count, context.from(wanted));
}

void run(RuleContext& context) {
  const Lifecycle& wanted = *context.spec.lifecycle;
  set_seconds(context, context.plan.lifecycle.deadline, wanted.deadline);
  set_seconds(context, context.plan.lifecycle.ttl, wanted.ttl);
  for (Role& role : context.plan.roles) {
    set_seconds(context, role.grace_period, wanted.grace_period);
  }
}

}  // namespace

extern const Rule lifetime_rule{
    "lifetime",
    Rule::Phase::Infer,
    "Deadline, time to live and grace period are whole seconds in the fields that the system has.",
    "The deadline of a Job wins over its retries (kubernetes/kubernetes "
    "pkg/controller/job/job_controller.go).",
    "spec.lifecycle.deadline spec.lifecycle.ttl spec.lifecycle.gracePeriod",
    "plan.lifecycle.deadline plan.lifecycle.ttl role.gracePeriod",
    run};

}  // namespace trainyard
