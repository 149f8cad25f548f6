#include "rules/topology_level.h"

#include "capacity/topology_levels.h"

namespace trainyard {
namespace {

using Levels = std::vector<Located<TopologyLevel>>;

std::string_view find_label(const Levels& levels, std::string_view level) {
  for (const auto& each : levels) {
    if (*each->name == level) return *each->node_label;
  }
  return {};
}

Levels levels_of_nodes(const RuleContext& context, const Pool* pool, const Machine* machine) {
  const MachineSpec* cloud =
      machine == nullptr ? nullptr : context.in.machines->catalogue(machine->name.span.file);
  return topology_levels(pool, machine, cloud);
}

/// What the pools of the Cluster call a level, as far as they agree.
std::string_view label_of_any_pool(const RuleContext& context, std::string_view level) {
  if (context.in.cluster == nullptr) return {};
  std::string_view found;
  for (const auto& pool : *context.in.cluster->spec->pools) {
    const Machine* machine = pool->machine ? context.in.machines->find(*pool->machine) : nullptr;
    const std::string_view label = find_label(levels_of_nodes(context, &*pool, machine), level);
    if (label.empty()) continue;
    if (!found.empty() && found != label) return {};
    found = label;
  }
  return found;
}

}  // namespace

Levels levels_of(const RuleContext& context, const RoleInput& input) {
  const Pool* pool = input.nodes.pool == nullptr ? nullptr : &**input.nodes.pool;
  return levels_of_nodes(context, pool, input.nodes.machine);
}

std::string_view level_label(const RuleContext& context, const RoleInput& input,
                             std::string_view level) {
  const std::string_view found = find_label(levels_of(context, input), level);
  if (!found.empty()) return found;
  if (level.find('/') != std::string_view::npos) return level;
  if (level == "zone") return "topology.kubernetes.io/zone";
  return input.nodes.pool == nullptr ? label_of_any_pool(context, level) : std::string_view();
}

std::optional<std::int64_t> level_tier(const RuleContext& context, const RoleInput& input,
                                       std::string_view label) {
  const Levels levels = levels_of(context, input);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (*levels[i]->node_label != label) continue;
    if (levels[i]->tier) return *levels[i]->tier;
    return static_cast<std::int64_t>(levels.size() - i);
  }
  return std::nullopt;
}

}  // namespace trainyard
