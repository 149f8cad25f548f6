#pragma once

#include "rules/context.h"

namespace trainyard {

/// The entry `key` of a map, made when it is not there.
NodeId entry_of(Tree& tree, NodeId map, std::string_view key, Kind kind, OriginId origin);

/// The affinity of a role, made when it has none: parts are added, the user's own stay.
NodeId affinity_of(RuleContext& context, Role& role, OriginId origin);

}  // namespace trainyard
