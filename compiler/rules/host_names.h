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

/// The host name of a pod, by its number in its role; among the groups of a program that of the
/// own group.
std::string host_of(const RuleContext& context, const Role& role, std::int64_t index);

/// The host name of a pod of a program, by its number in a group.
std::string host_in_group(const RuleContext& context, const Role& role, std::string_view group,
                          std::int64_t index);

/// The variable with the number of a pod's group, in pods whose group has ranks of its own.
inline constexpr std::string_view kGroupVariable = "ROLE_GROUP";

/// The pod's own field that holds its number in its role; "" when none does.
std::string_view index_field(const RuleContext& context);

}  // namespace trainyard
