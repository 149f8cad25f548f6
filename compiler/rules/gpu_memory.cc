#include <string>

#include "rules/affinity.h"
#include "rules/context.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

void check_known(RuleContext& context, const QuantityText& wanted, const QuantityText& known) {
  const auto least = Quantity::parse(*wanted);
  const auto all = Quantity::parse(*known);
  if (!least || !all || *least <= *all) return;
  context
      .report(
          DiagnosticKind::ExceedsMachine, wanted.span,
          "GPUs with " + code(*wanted) + " are wanted, those of the machine have " + code(*known))
      .also(known.span, "their memory");
}

/// `nvidia.com/gpu.memory` above a number of mebibytes, the one amount that can be compared.
NodeId requirement(RuleContext& context, std::int64_t above, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId values = tree.add_seq(origin);
  tree.append(values, tree.add_string(context.number(above), origin));
  const NodeId result = tree.add_map(origin);
  tree.append(result, "key", tree.add_string("nvidia.com/gpu.memory", origin));
  tree.append(result, "operator", tree.add_string("Gt", origin));
  tree.append(result, "values", values);
  return result;
}

/// Terms are alternatives, so each of them gets the requirement.
void require(RuleContext& context, Role& role, std::int64_t above, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId affinity = affinity_of(context, role, origin);
  const NodeId nodes = entry_of(tree, affinity, "nodeAffinity", Kind::Map, origin);
  const NodeId required =
      entry_of(tree, nodes, "requiredDuringSchedulingIgnoredDuringExecution", Kind::Map, origin);
  const NodeId terms = entry_of(tree, required, "nodeSelectorTerms", Kind::Seq, origin);
  if (tree[terms].size == 0) tree.append(terms, tree.add_map(origin));
  for (NodeId term : tree.children(terms)) {
    const NodeId expressions = entry_of(tree, term, "matchExpressions", Kind::Seq, origin);
    tree.append(expressions, requirement(context, above, origin));
  }
}

void run(RuleContext& context) {
  constexpr std::int64_t kMebi = 1024 * 1024;
  for (RoleInput& input : context.roles) {
    const QuantityText& wanted = context.of(input, &RoleFields::gpu)->min_memory;
    if (!wanted || *input.role->gpus == 0) continue;
    if (const QuantityText* known = known_gpu_memory(input.nodes)) {
      check_known(context, wanted, *known);
      continue;
    }
    const auto least = Quantity::parse(*wanted);
    const auto bytes = least ? least->whole_units() : std::nullopt;
    if (!bytes) continue;
    require(context, *input.role, (*bytes - 1) / kMebi, context.because({context.from(wanted)}));
  }
}

}  // namespace

extern const Rule gpu_memory_rule{
    "gpu-memory",
    Rule::Phase::Infer,
    "GPUs have the memory that is asked for, by the machine where it is known, else by the label "
    "of the node.",
    "The label holds mebibytes, and only node affinity can compare it, by `Gt` "
    "(NVIDIA/k8s-device-plugin docs/gpu-feature-discovery/README.md).",
    "spec.gpu.minMemory role.nodes role.gpus cluster.pools machine.gpu role.affinity",
    "role.affinity",
    run};

}  // namespace trainyard
