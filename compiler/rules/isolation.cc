#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  const NetworkRequest& network = *context.spec.network;
  if (!network.isolate.value_or(false)) return;
  IsolationPlan& plan = context.plan.isolation;
  const OriginId asked = context.from(network.isolate);
  // All runs of a job have one policy. The job's own name may be that of a policy which its
  // controller makes (volcano-sh/volcano pkg/controllers/job/plugins/svc/svc.go).
  context.set(plan.name, context.text(*context.plan.job, "-isolation"),
              context.because({asked, context.plan.job.origin}));
  plan.ingress = context.shapes(network.allow->ingress);
  plan.egress = context.shapes(network.allow->egress);
  if (context.in.cluster == nullptr) return;
  for (const Text& address : *context.in.cluster->spec->network->dns_addresses) {
    plan.dns.push_back({{}, context.text(*address, "/32"), context.from(address)});
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
    "spec.network.isolate spec.network.allow cluster.network.dnsAddresses plan.job",
    "plan.isolation",
    run};

}  // namespace trainyard
