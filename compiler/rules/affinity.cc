#include "rules/affinity.h"

namespace trainyard {
namespace {

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

void match_roles(RuleContext& context, const std::vector<const Role*>& roles, NodeId selector,
                 OriginId origin) {
  if (roles.size() == context.roles.size()) return;
  Tree& tree = context.tree();
  const NodeId names = tree.add_seq(origin);
  for (const Role* role : roles) tree.append(names, tree.add_string(role->name, origin));
  const NodeId requirement = tree.add_map(origin);
  tree.append(requirement, "key", tree.add_string(kRoleLabel, origin));
  tree.append(requirement, "operator", tree.add_string("In", origin));
  tree.append(requirement, "values", names);
  const NodeId requirements = tree.add_seq(origin);
  tree.append(requirements, requirement);
  tree.append(selector, "matchExpressions", requirements);
}

}  // namespace

NodeId entry_of(Tree& tree, NodeId map, std::string_view key, Kind kind, OriginId origin) {
  const NodeId known = tree.find(map, key);
  if (known != kNoNode) return known;
  const NodeId added = tree.add(kind, {}, origin);
  tree.append(map, key, added);
  return added;
}

NodeId affinity_of(RuleContext& context, Role& role, OriginId origin) {
  if (!role.affinity) context.set(role.affinity, context.tree().add_map(origin), origin);
  return *role.affinity;
}

namespace {

/// The alternatives that the role's pods have for their nodes; an empty list when all will do.
NodeId terms_of(RuleContext& context, Role& role, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId affinity = affinity_of(context, role, origin);
  const NodeId nodes = entry_of(tree, affinity, "nodeAffinity", Kind::Map, origin);
  const NodeId required =
      entry_of(tree, nodes, "requiredDuringSchedulingIgnoredDuringExecution", Kind::Map, origin);
  return entry_of(tree, required, "nodeSelectorTerms", Kind::Seq, origin);
}

void add_requirement(Tree& tree, NodeId term, std::string_view key, std::string_view by,
                     std::string_view value, OriginId origin) {
  const NodeId expressions = entry_of(tree, term, "matchExpressions", Kind::Seq, origin);
  const NodeId values = tree.add_seq(origin);
  tree.append(values, tree.add_string(value, origin));
  const NodeId requirement = tree.add_map(origin);
  tree.append(requirement, "key", tree.add_string(key, origin));
  tree.append(requirement, "operator", tree.add_string(by, origin));
  tree.append(requirement, "values", values);
  tree.append(expressions, requirement);
}

std::vector<NodeId> listed(const Tree& tree, NodeId list) {
  std::vector<NodeId> result;
  for (const NodeId id : tree.children(list)) result.push_back(id);
  return result;
}

}  // namespace

void require_of_nodes(RuleContext& context, Role& role, std::string_view key, std::string_view by,
                      std::string_view value, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId terms = terms_of(context, role, origin);
  if (tree[terms].size == 0) tree.append(terms, tree.add_map(origin));
  // Terms are alternatives, so each of them gets the requirement.
  for (const NodeId term : listed(tree, terms)) {
    add_requirement(tree, term, key, by, value, origin);
  }
}

void require_any_of_nodes(RuleContext& context, Role& role, const std::vector<NodeMark>& marks,
                          OriginId origin) {
  Tree& tree = context.tree();
  const NodeId terms = terms_of(context, role, origin);
  if (tree[terms].size == 0) tree.append(terms, tree.add_map(origin));
  const std::vector<NodeId> before = listed(tree, terms);
  // Each alternative with each mark.
  for (std::size_t i = 1; i < marks.size(); ++i) {
    for (const NodeId term : before) {
      const NodeId other = tree.copy(tree, term);
      add_requirement(tree, other, marks[i].label, "In", marks[i].value, origin);
      tree.append(terms, other);
    }
  }
  for (const NodeId term : before) {
    add_requirement(tree, term, marks.front().label, "In", marks.front().value, origin);
  }
}

NodeId own_pods(RuleContext& context, const std::vector<const Role*>& roles,
                std::string_view topology_key, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId result = tree.add_map(origin);
  const NodeId selector = match_labels(context, origin);
  match_roles(context, roles, selector, origin);
  tree.append(result, "labelSelector", selector);
  tree.append(result, "topologyKey", tree.add_string(topology_key, origin));
  return result;
}

void label_roles(RuleContext& context, const std::vector<const Role*>& roles) {
  if (roles.size() == context.roles.size()) return;
  for (RoleInput& input : context.roles) {
    context.add(input.role->pod_labels, kRoleLabel, input.role->name, context.because({}));
  }
}

}  // namespace trainyard
