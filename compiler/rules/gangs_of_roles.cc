#include "rules/gangs_of_roles.h"

#include <algorithm>
#include <string>

namespace trainyard {
namespace {

/// Targets that write a PodGroup for each role, and the systems that read it.
std::string able_targets(const RuleContext& context) {
  std::string result;
  for (const TargetFacts* target : context.in.targets->all_targets()) {
    if (!target->available || !target->programs.able) continue;
    for (const Queueing& row : target->queueing) {
      if (!row.own_group) continue;
      result += (result.empty() ? "" : ", ") + code(target->name) + " with " + code(row.system);
    }
  }
  return result;
}

bool has_groups(const Plan& plan) {
  return std::ranges::any_of(plan.roles, [](const Role& role) { return *role.parts > 1; });
}

}  // namespace

/// A group of pods is named in their template, which the groups of a role share.
void refuse_gangs(RuleContext& context, GangExtent extent, const QueueingSystem& system) {
  Diagnostic& report =
      context.report(DiagnosticKind::NotExpressible, context.spec.scheduling->gang.span,
                     "target " + code(context.in.target->name) + " makes no gang of each " +
                         std::string(spelling(extent)) + " with " + std::string(system.name));
  if (extent == GangExtent::Role) {
    report.note("targets that can: " + able_targets(context));
    return;
  }
  report.note("no target can: all groups of a role have one pod template, which names one gang")
      .note("write `gang: role`, or make each group a role of its own");
}

bool can_be_gangs(RuleContext& context, GangExtent extent, const QueueingSystem& system,
                  const Queueing& how) {
  if (!*context.plan.programs) {
    context
        .report(
            DiagnosticKind::ConflictingValues, context.spec.scheduling->gang.span,
            code(spelling(extent)) + " is about several programs, and all pods of this job run one")
        .note("write `gang: true`: all of them start together");
    return false;
  }
  // Where no role has several groups, each role is one.
  if (how.own_group && (extent == GangExtent::Role || !has_groups(context.plan))) return true;
  refuse_gangs(context, extent, system);
  return false;
}

}  // namespace trainyard
