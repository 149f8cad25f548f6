#include <string_view>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kKarpenter = "karpenter.sh/";

void run(RuleContext& context) {
  for (Role& role : context.plan.roles) {
    for (const NamedValue& label : role.node_selector) {
      if (!label.name.starts_with(kKarpenter)) continue;
      context.add(role.pod_annotations, "karpenter.sh/do-not-disrupt", "true",
                  context.because({label.origin}));
      break;
    }
  }
}

}  // namespace

extern const Rule disruption_rule{
    "disruption",
    Rule::Phase::Infer,
    "Pods on nodes that Karpenter makes are not evicted to consolidate nodes.",
    "It moves pods to fewer or cheaper nodes while they run, and one evicted rank ends the whole "
    "job (aws/karpenter-provider-aws website, disruption: karpenter.sh/do-not-disrupt).",
    "role.nodeSelector",
    "role.podAnnotations",
    run};

}  // namespace trainyard
