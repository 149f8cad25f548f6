#include "rules/capacity.h"

#include "rules/added_containers.h"

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

std::vector<Beside> requested_beside(const JobSpec& spec, const Tree& tree, const Plan& plan) {
  std::vector<Beside> result;
  for (const Role& role : plan.roles) {
    const std::string_view main = role.container_name ? *role.container_name : kMainContainer;
    for (const AddedRequest& each : requests_of_added(spec, tree, role.name, main)) {
      result.push_back({role.name, each.resource, each.amount});
    }
  }
  return result;
}

TopologyRequirement topology_requirement_of(const Placement& placement) {
  const TopologyRequest& wanted = *placement.topology;
  TopologyRequirement result;
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
