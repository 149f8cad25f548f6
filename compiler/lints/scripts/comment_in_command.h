#pragma once

#include "check/check_context.h"
#include "tree/typed_fields.h"

namespace trainyard {

/// Reports a comment between two lines of a script that a `\` should join: the command ends with
/// it.
void check_comment_in_command(View script, CheckContext& context);

}  // namespace trainyard
