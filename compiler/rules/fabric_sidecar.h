#pragma once

#include "rules/fabric_use.h"
#include "rules/rule_context.h"

namespace trainyard {

/// Adds the daemon of a fabric to a role: as a native sidecar, or as a container beside the program
/// where the Cluster wants that. The profile of the use has one.
void add_fabric_sidecar(RuleContext& context, Role& role, const FabricUse& use);

}  // namespace trainyard
