#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Flag& wanted = context.of(input, &RoleFields::network)->host_network;
    if (!wanted.value_or(false)) continue;
    const OriginId origin = context.from(wanted);
    Role& role = *input.role;
    context.set(role.host_network, true, origin);
    context.set(role.dns_policy, std::string_view("ClusterFirstWithHostNet"),
                context.because({origin}));
  }
}

}  // namespace

extern const Rule host_network_rule{
    "host-network",
    Rule::Phase::Infer,
    "Pods on the network of their node still find each other by name.",
    "With `hostNetwork` a pod asks the DNS of its node, which does not know the cluster's names, "
    "unless `dnsPolicy` says otherwise (kubernetes/kubernetes pkg/kubelet/network/dns/dns.go).",
    "spec.network.hostNetwork",
    "role.hostNetwork role.dnsPolicy",
    run};

}  // namespace trainyard
