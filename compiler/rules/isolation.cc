#include <algorithm>

#include "rules/affinity.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// The part of a policy for all pods of the job, or for those of one role.
IsolationPlan policy(RuleContext& context, const NetworkRequest& network, std::string_view role) {
  IsolationPlan plan;
  const OriginId asked = context.from(network.isolate);
  const OriginId origin = context.because({asked, context.plan.job.origin});
  // All runs of a job have one policy. The job's own name may be that of a policy which its
  // controller makes (volcano-sh/volcano pkg/controllers/job/plugins/svc/svc.go).
  const std::string_view of_role = role.empty() ? "" : context.text("-", role);
  context.set(plan.name, context.text(*context.plan.job, of_role, "-isolation"), origin);
  plan.selector = context.plan.lasting_selector;
  if (!role.empty()) context.add(plan.selector, kRoleLabel, role, origin);
  plan.ingress = context.shapes(network.allow->ingress);
  plan.egress = context.shapes(network.allow->egress);
  if (context.in.cluster == nullptr) return plan;
  for (const Text& address : *context.in.cluster->spec->network->dns_addresses) {
    plan.dns.push_back({{}, context.text(*address, "/32"), context.from(address)});
  }
  return plan;
}

/// Whether a role says for itself which pods may talk to it.
bool differ(const RuleContext& context) {
  return std::ranges::any_of(*context.spec.roles, [](const Entry<RoleSpec>& role) {
    const NetworkRequest& own = *role.value->network;
    return own.isolate || own.allow;
  });
}

void run(RuleContext& context) {
  const auto add = [&](const NetworkRequest& network, std::string_view role) {
    if (!network.isolate.value_or(false)) return;
    context.plan.isolations.push_back(policy(context, network, role));
  };
  if (!differ(context)) return add(*context.spec.network, {});
  for (const RoleInput& input : context.roles) {
    add(*context.of(input, &RoleFields::network), input.role->name);
  }
}

}  // namespace

extern const Rule isolation_rule{
    "isolation",
    Rule::Phase::Infer,
    "Pods that are to be isolated talk to each other, to DNS and to what the spec allows.",
    "What no policy selects may talk to anything; what one selects needs DNS by name, or ranks do "
    "not meet (kubernetes/kubernetes pkg/apis/networking/types.go NetworkPolicySpec; "
    "cluster/addons/dns/nodelocaldns/README.md).",
    "spec.network.isolate spec.network.allow spec.roles cluster.network.dnsAddresses plan.job "
    "plan.lastingSelector role.name",
    "plan.isolations",
    run};

}  // namespace trainyard
