#pragma once

#include "rules/rule_context.h"
#include "rules/wanted_scheduling.h"

namespace trainyard {

/// Reports that the target makes no gang of each role, or of each group, with this system.
void refuse_gangs(RuleContext& context, GangExtent extent, const QueueingSystem& system);

/// False, with a report, where a gang of each role, or of each group, cannot be.
bool can_be_gangs(RuleContext& context, GangExtent extent, const QueueingSystem& system,
                  const Queueing& how);

}  // namespace trainyard
