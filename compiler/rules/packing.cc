#include <algorithm>
#include <vector>

#include "rules/affinity.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kHost = "kubernetes.io/hostname";
constexpr std::int64_t kMost = 100;  // of the weights that Kubernetes takes

/// Whether the spec says itself how the pods are spread.
bool is_stated(const Placement& wanted) {
  return wanted.one_pod_per_node.value_or(false) || wanted.topology || wanted.affinity ||
         wanted.topology_spread_constraints;
}

/// Whether a node is known to have whole GPUs for more than one pod of the role.
bool takes_part_of_node(const RuleContext& context, const RoleInput& input) {
  const Machine* machine = input.nodes.machine;
  if (!input.role->trains || *input.role->gpus == 0 || machine == nullptr) return false;
  if (!machine->gpu->count || *input.role->gpus * 2 > *machine->gpu->count) return false;
  return !context.of(input, &RoleFields::gpu)->mig && !is_shared(context, input) &&
         !has_part(context, input);
}

/// A term of the rule one-pod-per-node, or one like it.
bool is_kept_apart(const RuleContext& context, const Role& role) {
  return role.affinity && View(context.plan.tree, *role.affinity)["podAntiAffinity"];
}

bool has_affinity(const RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  return target.pod_template && !context.plan.runtime.exists &&
         std::ranges::find(target.lacking, "role.affinity") == target.lacking.end();
}

void prefer_together(RuleContext& context, Role& role, const std::vector<const Role*>& together) {
  const OriginId origin = context.because({context.plan.multi_node.origin, role.gpus.origin});
  Tree& tree = context.tree();
  const NodeId affinity = affinity_of(context, role, origin);
  const NodeId near = entry_of(tree, affinity, "podAffinity", Kind::Map, origin);
  const NodeId terms =
      entry_of(tree, near, "preferredDuringSchedulingIgnoredDuringExecution", Kind::Seq, origin);
  const NodeId weighted = tree.add_map(origin);
  tree.append(weighted, "weight", tree.add_int(kMost, origin));
  tree.append(weighted, "podAffinityTerm", own_pods(context, together, kHost, origin));
  tree.append(terms, weighted);
}

void run(RuleContext& context) {
  if (!*context.plan.multi_node || !has_affinity(context)) return;
  std::vector<const Role*> together;
  for (const RoleInput& input : context.roles) {
    if (is_stated(context.placement_of(input)) || is_kept_apart(context, *input.role)) continue;
    if (takes_part_of_node(context, input)) together.push_back(input.role);
  }
  if (together.empty()) return;
  label_roles(context, together);
  for (RoleInput& input : context.roles) {
    const bool meant = std::ranges::find(together, input.role) != together.end();
    if (meant) prefer_together(context, *input.role, together);
  }
}

}  // namespace

extern const Rule packing_rule{
    "packing",
    Rule::Phase::Infer,
    "Pods that take a part of a node's GPUs prefer the nodes that others of their job are on.",
    "GPUs of one node talk over NVLink, and nodes that are left whole are there for jobs that need "
    "them; without this the scheduler spreads pods over the emptiest nodes "
    "(kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/least_allocated.go).",
    "spec.placement spec.gpu cluster.gpu.sharing machine plan.multiNode plan.selector plan.runtime "
    "role.gpus role.nodes role.affinity role.trains role.name target.pod target.lacking",
    "role.affinity role.podLabels",
    run};

}  // namespace trainyard
