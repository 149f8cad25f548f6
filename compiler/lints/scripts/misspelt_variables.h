#pragma once

#include "check/check.h"

namespace trainyard {

/// Variables of a script that are never set, one typo away from one that the container is given.
void check_misspelt_variables(const Pod& pod, CheckContext& context);

}  // namespace trainyard
