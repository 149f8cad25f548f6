#include "rules/tolerated_taints.h"

namespace trainyard {

bool same_toleration(const Tree& tree, const std::vector<Fragment>& list, NodeId wanted) {
  for (const Fragment& known : list) {
    if (equal(tree, *known, tree, wanted)) return true;
  }
  return false;
}

namespace {

/// The toleration that fits a taint: {key, operator, value, effect}.
void tolerate(RuleContext& context, Role& role, View taint) {
  Tree& tree = context.tree();
  const OriginId origin = context.because({context.from(taint->span)});
  const NodeId result = tree.add_map(origin);
  const View value = taint["value"];
  tree.append(result, "key", tree.add_string(taint["key"].text(), origin));
  tree.append(result, "operator", tree.add_string(value ? "Equal" : "Exists", origin));
  if (value) tree.append(result, "value", tree.add_string(value.text(), origin));
  if (taint["effect"]) {
    tree.append(result, "effect", tree.add_string(taint["effect"].text(), origin));
  }
  if (!same_toleration(tree, role.tolerations, result)) {
    role.tolerations.push_back({result, origin, true});
  }
}

}  // namespace

void tolerate_all(RuleContext& context, Role& role, const Shape& taints) {
  if (!taints) return;
  const Tree& source = context.tree_of(taints.span);
  for (NodeId taint : source.children(taints.node)) tolerate(context, role, View(source, taint));
}

}  // namespace trainyard
