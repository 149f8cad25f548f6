#include "rules/capacity.h"

namespace trainyard {

std::vector<NodeGroup> cluster_nodes(const RuleContext& context) {
  if (context.in.cluster == nullptr) return {};
  return nodes_of(
      *context.in.cluster,
      [&context](std::string_view name) { return context.in.machines->find(name); },
      [&context](const Machine& machine) {
        return context.in.machines->catalogue(machine.name.span.file);
      },
      [&context](Span place) -> const Tree& { return context.tree_of(place); });
}

Nearness nearness_of(const Placement& placement) {
  const TopologyRequest& wanted = *placement.topology;
  Nearness result;
  // A preference keeps nothing from starting; slices are no preference.
  if (wanted.mode.value_or(TopologyMode::Required) == TopologyMode::Required) {
    result.level = wanted.level.value_or("");
  }
  if (wanted.slice) {
    result.slice_level = *wanted.slice->level;
    result.slice_nodes = *wanted.slice->nodes;
  }
  return result;
}

}  // namespace trainyard
