#pragma once

#include "check/check.h"

namespace trainyard {

/// What no shell can read, and options that it does not have. Texts that a tool is still to fill
/// in are left alone.
void check_script_syntax(const Pod& pod, CheckContext& context);

}  // namespace trainyard
