#include <string>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

/// Where every role says how many nodes it has, the job's own number can only repeat the sum.
void check_sum(RuleContext& context, std::int64_t pods) {
  const Integer& nodes = context.spec.nodes;
  const auto& named = *context.spec.roles;
  if (!nodes || named.empty() || *nodes == pods) return;
  for (const auto& role : named) {
    if (!role.value->nodes) return;
  }
  context
      .report(DiagnosticKind::ConflictingValues, named.front().value->nodes.span,
              "the roles have " + std::to_string(pods) + (pods == 1 ? " node" : " nodes") +
                  ", the job has " + std::to_string(*nodes))
      .also(nodes.span, "nodes of the job");
}

void run(RuleContext& context) {
  Plan& plan = context.plan;
  // The roles stay where they are from here on: the context points at them.
  const auto& named = *context.spec.roles;
  plan.roles.resize(named.empty() ? 1 : named.size());
  std::int64_t pods = 0;
  for (std::size_t i = 0; i < plan.roles.size(); ++i) {
    RoleInput input;
    input.role = &plan.roles[i];
    input.own = named.empty() ? nullptr : &*named[i].value;
    input.role->name = named.empty() ? "worker" : named[i].key;
    const Integer& nodes = context.of(input, &RoleFields::nodes);
    const OriginId origin = nodes ? context.from(nodes) : context.by_default("spec.nodes");
    context.set(input.role->replicas, nodes.value_or(1), origin);
    pods += *input.role->replicas;
    context.roles.push_back(input);
  }
  const OriginId counted = context.because({plan.roles[0].replicas.origin});
  context.set(plan.multi_node, pods > 1, counted);
  check_sum(context, pods);
}

}  // namespace

extern const Rule roles_rule{"roles",
                             Rule::Phase::Infer,
                             "Every group of equal pods is a role with a fixed number of pods.",
                             "`nodes` counts pods, one for each node; without `roles` all pods are "
                             "workers.",
                             "spec.nodes spec.roles",
                             "plan.roles role.name role.replicas plan.multiNode",
                             run};

}  // namespace trainyard
