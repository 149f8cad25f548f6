#include "rules/capacity.h"

namespace trainyard {

std::vector<NodeGroup> cluster_nodes(const RuleContext& context) {
  if (context.in.cluster == nullptr) return {};
  return nodes_of(
      *context.in.cluster,
      [&context](std::string_view name) { return context.in.machines->find(name); },
      [&context](Span place) -> const Tree& { return context.tree_of(place); });
}

Nearness nearness_of(const Placement& placement) {
  const TopologyRequest& wanted = *placement.topology;
  // Slices are each in a domain of their own, and a preference keeps nothing from starting.
  if (wanted.slice || wanted.mode.value_or(TopologyMode::Required) != TopologyMode::Required) {
    return {};
  }
  return {wanted.level.value_or("")};
}

}  // namespace trainyard
