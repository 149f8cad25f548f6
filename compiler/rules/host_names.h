#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rules/rule_context.h"

namespace trainyard {

/// `pattern` with each `hole` replaced.
std::string expanded(std::string_view pattern, std::string_view hole, std::string_view value);

/// Whether the pods of the job's roles are made and numbered as those of several roles.
bool numbers_several_roles(const RuleContext& context);

/// Whether the target says by which names all pods of the job are found.
bool knows_all_hosts(const RuleContext& context);

/// The host name of a pod, by its number in its role.
std::string host_of(const RuleContext& context, const Role& role, std::int64_t index);

/// The pod's own field that holds its number in its role; "" when none does.
std::string_view index_field(const RuleContext& context);

}  // namespace trainyard
