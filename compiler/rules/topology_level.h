#pragma once

#include <string_view>
#include <vector>

#include "rules/rule_context.h"

namespace trainyard {

/// The levels by which the nodes of a role are grouped, widest first, as `trainyard build` makes
/// Topologies of them (capacity/topology_levels.h). None when the levels are unknown.
std::vector<Located<TopologyLevel>> levels_of(const RuleContext& context, const RoleInput& input);

/// The node label behind a level, which the spec calls by its name or by that label itself. A role
/// without a pool goes by what all pools of the Cluster agree on. Empty when unknown.
std::string_view level_label(const RuleContext& context, const RoleInput& input,
                             std::string_view level);

/// The tier of Volcano's HyperNodes for the level with this node label: as its pool states, else
/// counted from the narrowest level, which is 1. Nothing when unknown.
std::optional<std::int64_t> level_tier(const RuleContext& context, const RoleInput& input,
                                       std::string_view label);

}  // namespace trainyard
