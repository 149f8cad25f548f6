#include "rules/affinity.h"

namespace trainyard {

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

}  // namespace trainyard
