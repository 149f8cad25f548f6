#pragma once

#include <string_view>
#include <vector>

#include "rules/rule_context.h"

namespace trainyard {

/// The programs of a job, each below those that it starts after, else by name. Reports a role that
/// waits for itself or for one that is not there; the result then has all of them by name.
std::vector<const Entry<RoleSpec>*> start_order(RuleContext& context);

}  // namespace trainyard
