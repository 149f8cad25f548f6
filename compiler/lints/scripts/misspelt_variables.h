#pragma once

#include "check/check.h"

namespace trainyard {

/// Variables of a script that nobody sets, one slip away from one that the container is given.
void check_near_variables(const Pod& pod, CheckContext& context);

}  // namespace trainyard
