#include <algorithm>
#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/wanted_scheduling.h"

namespace trainyard {
namespace {

Span place_of(const RuleContext& context, const Role& role) {
  const Span place = context.place(role.replicas.origin);
  return place.known() ? place : context.in.job->spec.span;
}

/// The system makes the role whether the job has it or not.
void check_is_there(RuleContext& context, std::string_view name) {
  const auto& roles = context.plan.roles;
  const auto found = std::ranges::find(roles, name, &Role::name);
  const std::string target = code(context.in.target->name);
  if (found == roles.end() || *found->replicas < 1) {
    const Role& other = roles.back();
    const bool one_node = *other.replicas == 1 && roles.size() == 1;
    context
        .report(DiagnosticKind::NotExpressible, place_of(context, other),
                one_node
                    ? "target " + target + " cannot express a job of one node"
                    : "target " + target + " cannot express a job without the role " + code(name))
        .note("the system always makes a " + code(name) + ", with or without a request");
  }
}

void check_is_one(RuleContext& context, const Role& role) {
  if (*role.replicas <= 1) return;
  context.report(DiagnosticKind::NotExpressible, place_of(context, role),
                 "target " + code(context.in.target->name) + " cannot express " +
                     std::to_string(*role.replicas) + " nodes of the role " + code(role.name) +
                     "; expected 1");
}

/// A role that the system has for other jobs only would be left out.
bool check_is_known(RuleContext& context, const Role& role, const RoleShape& shape) {
  if (role.name == shape.coordinator) return true;
  if (has_programs(context.spec)) return true;  // `target-limits` has refused all of them
  if (std::ranges::find(shape.even, role.name) != shape.even.end()) return true;
  std::string known;
  for (std::string_view name : shape.even) known += (known.empty() ? "" : ", ") + code(name);
  if (!shape.coordinator.empty()) known += ", " + code(shape.coordinator);
  context
      .report(DiagnosticKind::NotExpressible, place_of(context, role),
              "target " + code(context.in.target->name) + " cannot express the role " +
                  code(role.name) + " in such a job of framework " + code(*context.plan.framework))
      .note("its roles are " + known);
  return false;
}

/// A gang starts when all its pods are there, and those of a role that waits are made later. A
/// gang of Volcano's own jobs leaves these out, unless the spec asks for all pods.
void check_waits(RuleContext& context) {
  const Plan& plan = context.plan;
  if (!plan.gang.min_member) return;  // each role is a gang, or none is
  const Queueing* how = context.in.target->queueing_by(*plan.gang.system);
  const bool all = context.spec.scheduling->gang.value_or(GangExtent::False) != GangExtent::False;
  if (how != nullptr && gang_without_later_pods(*how) && !all) return;
  for (const Role& role : plan.roles) {
    if (role.waits.empty()) continue;
    const RoleWait& wait = role.waits.front();
    context
        .report(DiagnosticKind::ConflictingValues, context.place(wait.origin),
                "role " + code(role.name) + " waits for " + code(wait.role) +
                    ", and the gang of all pods starts no pod without those of " + code(role.name))
        .also(context.place(plan.gang.system.origin), "the gang")
        .note(all ? "leave out `after` or `scheduling.gang`"
                  : "leave out `after`, or write `scheduling: {gang: false}`")
        .note("`scheduling: {gang: role}` makes each role a gang, where the target can");
  }
}

void run(RuleContext& context) {
  check_waits(context);
  const RoleShape& shape = shape_of(context);
  if (!shape.whole) return;
  for (std::string_view name : shape.even) check_is_there(context, name);
  for (const Role& role : context.plan.roles) {
    if (!check_is_known(context, role, shape)) continue;
    if (role.name != shape.even.back()) check_is_one(context, role);
  }
}

}  // namespace

extern const Rule roles_check_rule{
    "roles-check",
    Rule::Phase::Check,
    "A job has the roles that its system always makes, and of each in front of the last one pod; "
    "no role of a gang waits for another.",
    "A Run:ai DistributedWorkload has a master and as many workers as it says, in all one pod more "
    "(run-ai/docs docs/developer/cluster-api/reference/distributed.md).",
    "spec.scheduling role.name role.replicas role.waits plan.framework plan.gang target.roles "
    "target.queueing",
    "",
    run};

}  // namespace trainyard
