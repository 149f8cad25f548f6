#pragma once

#include "rules/role_program.h"

namespace trainyard {

/// What a program says of its restarts and failures, and of other fields of the job that only some
/// targets have for each role.
void check_life(RuleContext& context, const Entry<RoleSpec>& role, const RoleProgram& program);

/// Fields that only programs have, in a job of one program.
void check_roles_of_one(RuleContext& context);

}  // namespace trainyard
