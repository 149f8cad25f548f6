#include "platform/topologies.h"

#include <algorithm>

#include "capacity/topology_levels.h"

namespace trainyard {
namespace {

void add(PlatformContext& context, View taints, std::vector<TaintPlan>& result) {
  if (!taints) return;
  for (NodeId id : taints.tree().children(taints.id())) {
    const View taint(taints.tree(), id);
    const auto field = [&](std::string_view key) -> Field<std::string_view> {
      const View value = taint[key];
      if (!value) return {};
      return {value.text(), context.from(value->span), true};
    };
    TaintPlan made{field("key"), {}, field("value"), field("effect")};
    made.match = context.computed<std::string_view>(made.value ? "Equal" : "Exists", {taint->span});
    const bool known = std::ranges::any_of(result, [&](const TaintPlan& other) {
      return *other.key == *made.key && *other.value == *made.value &&
             *other.effect == *made.effect;
    });
    if (!known) result.push_back(made);
  }
}

}  // namespace

std::optional<TopologyPlan> topology_of(PlatformContext& context, const Pool& pool) {
  const Machine* machine = context.in.machines->find(*pool.machine);
  const MachineSpec* cloud =
      machine == nullptr ? nullptr : context.in.machines->catalogue(machine->name.span.file);
  const auto levels = topology_levels(&pool, machine, cloud);
  if (levels.empty()) return std::nullopt;
  TopologyPlan made;
  made.name = context.given(pool.name);
  for (const auto& level : levels) {
    made.levels.push_back({context.given(level->name), context.given(level->node_label)});
  }
  // The last level has to be the node itself for a scheduler to choose among nodes.
  if (*made.levels.back().label != kHostNameLevel) {
    made.levels.push_back({{}, context.computed(kHostNameLevel, {levels.back().span})});
  }
  return made;
}

std::vector<TaintPlan> taints_of(PlatformContext& context, const PoolOffer& offer) {
  std::vector<TaintPlan> result;
  add(context, context.shape(offer.pool->taints), result);
  if (offer.machine == nullptr) return result;
  add(context, context.shape(offer.machine->taints), result);
  // Taints that the cloud itself puts on such nodes.
  const MachineSpec* cloud = context.in.machines->catalogue(offer.machine->name.span.file);
  if (cloud != nullptr) add(context, context.shape(cloud->taints), result);
  const MachineCapacity* marks = marks_of(cloud, *offer.pool);
  if (marks != nullptr) add(context, context.shape(marks->taints), result);
  return result;
}

}  // namespace trainyard
