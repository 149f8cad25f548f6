#include <vector>

#include "rules/affinity.h"
#include "rules/context.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

/// What `placement.onePodPerNode` is when the spec leaves it open: `nodes` counts nodes, so pods
/// are kept apart unless the machine is known to have more GPUs than one pod takes. Without a pod
/// template there is no place to say so.
bool apart_by_default(const RuleContext& context, const RoleInput& input) {
  if (!*context.plan.multi_node || *input.role->gpus == 0) return false;
  if (has_part(context, input) || !context.in.target->pod_template) return false;
  const Machine* machine = input.nodes.machine;
  if (machine == nullptr || !machine->gpu->count) return true;
  return *input.role->gpus >= *machine->gpu->count;
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

/// A pod that only starts the others is none of the nodes that the job asks for.
bool is_apart(const RuleContext& context, const RoleInput& input) {
  if (!input.role->trains) return false;
  return context.placement_of(input).one_pod_per_node.value_or(apart_by_default(context, input));
}

void run(RuleContext& context) {
  std::vector<const Role*> apart;
  for (const RoleInput& input : context.roles) {
    if (is_apart(context, input)) apart.push_back(input.role);
  }
  if (apart.empty()) return;
  label_roles(context, apart);
  for (RoleInput& input : context.roles) {
    if (!is_apart(context, input)) continue;
    const Flag wanted = context.placement_of(input).one_pod_per_node;
    const OriginId origin =
        wanted ? context.because({context.from(wanted)})
               : context.because({context.plan.multi_node.origin, input.role->gpus.origin});
    keep_apart(context, *input.role, apart, origin);
  }
}

}  // namespace

extern const Rule one_pod_per_node_rule{
    "one-pod-per-node",
    Rule::Phase::Infer,
    "Two pods of one job never share a GPU node, and never keep another job away.",
    "An anti-affinity term on a label that other jobs have too blocks them; this one is bound to "
    "the "
    "job's own labels.",
    "spec.placement.onePodPerNode spec.gpu plan.multiNode plan.selector role.gpus role.nodes "
    "role.affinity role.trains role.name target.pod",
    "role.affinity role.podLabels",
    run};

}  // namespace trainyard
