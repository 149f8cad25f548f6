#include <algorithm>
#include <vector>

#include "rules/affinity.h"
#include "rules/gpu_offer.h"
#include "rules/host_ports.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Whether the role takes a part of a node: the machine has more GPUs, or, where no machine is
/// named, other pods of the job take more on one node.
bool takes_part(const RuleContext& context, const RoleInput& input) {
  const std::int64_t gpus = *input.role->gpus;
  const Integer* of_node = input.nodes.gpus();
  if (of_node != nullptr) return gpus < **of_node;
  return std::ranges::any_of(context.roles, [gpus](const RoleInput& other) {
    return other.role->trains && *other.role->gpus > gpus;
  });
}

/// What `placement.onePodPerNode` is when the spec leaves it open: `nodes` counts nodes, so pods
/// are kept apart unless the machine is known to have more GPUs than one pod takes. Without a pod
/// template there is no place to say so. Unknown where they are not kept apart.
OriginId apart_by_default(RuleContext& context, const RoleInput& input) {
  if (!context.spans_nodes(input) || !context.in.target->pod_template) return kNoOrigin;
  if (const Flag* host = host_network_of(context, input)) {
    return context.because({context.plan.multi_node.origin, context.from(*host)});
  }
  if (*input.role->gpus == 0 || has_part(context, input)) return kNoOrigin;
  if (takes_part(context, input)) return kNoOrigin;
  return context.because({context.plan.multi_node.origin, input.role->gpus.origin});
}

void keep_apart(RuleContext& context, Role& role, const std::vector<const Role*>& apart,
                OriginId origin) {
  Tree& tree = context.tree();
  const NodeId affinity = affinity_of(context, role, origin);
  const NodeId anti = entry_of(tree, affinity, "podAntiAffinity", Kind::Map, origin);
  const NodeId terms =
      entry_of(tree, anti, "requiredDuringSchedulingIgnoredDuringExecution", Kind::Seq, origin);
  tree.append(terms, own_pods(context, apart, "kubernetes.io/hostname", origin));
}

/// Why a role's pods are kept apart; unknown where they are not. A pod that only starts the others
/// is none of the nodes that the job asks for.
OriginId reason(RuleContext& context, const RoleInput& input) {
  if (!input.role->trains) return kNoOrigin;
  const Flag wanted = context.placement_of(input).one_pod_per_node;
  if (!wanted) return apart_by_default(context, input);
  return *wanted ? context.because({context.from(wanted)}) : kNoOrigin;
}

void run(RuleContext& context) {
  std::vector<const Role*> apart;
  std::vector<OriginId> reasons;
  for (const RoleInput& input : context.roles) {
    reasons.push_back(reason(context, input));
    if (reasons.back() != kNoOrigin) apart.push_back(input.role);
  }
  if (apart.empty()) return;
  label_roles(context, apart);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i] != kNoOrigin) keep_apart(context, *context.roles[i].role, apart, reasons[i]);
  }
}

}  // namespace

extern const Rule one_pod_per_node_rule{
    "one-pod-per-node",
    Rule::Phase::Infer,
    "Two pods of one job never share a GPU node, and never keep another job away.",
    "An anti-affinity term on a label that other jobs have too blocks them; this one is bound to "
    "the job's own labels. Pods on the network of their node would meet in its ports.",
    "spec.placement.onePodPerNode spec.gpu spec.network spec.resources cluster.network.fabrics "
    "cluster.pools.network cluster.kubernetes machine fabric plan.multiNode plan.selector "
    "role.gpus role.nodes role.affinity role.trains role.name target.pod",
    "role.affinity role.podLabels",
    run};

}  // namespace trainyard
