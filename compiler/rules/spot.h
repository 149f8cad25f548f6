#pragma once

#include "rules/rule_context.h"

namespace trainyard {

/// Whether a pool's nodes are such as `placement.spot` of the role wants them, as far as the pool
/// says how they are bought.
bool suits_spot(const RuleContext& context, const RoleInput& input, const Pool& pool);

}  // namespace trainyard
