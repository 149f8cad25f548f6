#pragma once

#include <string_view>
#include <vector>

#include "rules/rule_context.h"

namespace trainyard {

/// The label of a pod with the name of its role.
inline constexpr std::string_view kRoleLabel = "trainyard/role";

/// The entry `key` of a map, made when it is not there.
NodeId entry_of(Tree& tree, NodeId map, std::string_view key, Kind kind, OriginId origin);

/// The affinity of a role, made when it has none: parts are added, the user's own stay.
NodeId affinity_of(RuleContext& context, Role& role, OriginId origin);

/// Lets the role's pods land on nodes only whose label `key` meets `by`, an operator of node
/// affinity, and a value.
void require_of_nodes(RuleContext& context, Role& role, std::string_view key, std::string_view by,
                      std::string_view value, OriginId origin);

/// A label of nodes and its value.
struct NodeMark {
  std::string_view label, value;
};

/// Lets the role's pods land on nodes only that have one of some marks.
void require_any_of_nodes(RuleContext& context, Role& role, const std::vector<NodeMark>& marks,
                          OriginId origin);

/// A term of pod affinity or anti-affinity: this job's pods of some roles, and no others.
NodeId own_pods(RuleContext& context, const std::vector<const Role*>& roles,
                std::string_view topology_key, OriginId origin);

/// Where only some roles are meant by such a term, their pods need a label that says so.
void label_roles(RuleContext& context, const std::vector<const Role*>& roles);

}  // namespace trainyard
