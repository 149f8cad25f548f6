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

NodeId match_labels(RuleContext& context, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId labels = tree.add_map(origin);
  for (const NamedValue& label : context.plan.selector) {
    tree.append(labels, label.name, tree.add_string(label.value, label.origin));
  }
  const NodeId selector = tree.add_map(origin);
  tree.append(selector, "matchLabels", labels);
  return selector;
}

NodeId term(RuleContext& context, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId result = tree.add_map(origin);
  tree.append(result, "labelSelector", match_labels(context, origin));
  tree.append(result, "topologyKey", tree.add_string("kubernetes.io/hostname", origin));
  return result;
}

void keep_apart(RuleContext& context, Role& role, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId affinity = affinity_of(context, role, origin);
  const NodeId anti = entry_of(tree, affinity, "podAntiAffinity", Kind::Map, origin);
  const NodeId terms =
      entry_of(tree, anti, "requiredDuringSchedulingIgnoredDuringExecution", Kind::Seq, origin);
  tree.append(terms, term(context, origin));
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    const Flag wanted = context.placement_of(input).one_pod_per_node;
    if (!wanted.value_or(apart_by_default(context, input))) continue;
    const OriginId origin =
        wanted ? context.because({context.from(wanted)})
               : context.because({context.plan.multi_node.origin, input.role->gpus.origin});
    keep_apart(context, *input.role, origin);
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
    "role.affinity target.pod",
    "role.affinity",
    run};

}  // namespace trainyard
