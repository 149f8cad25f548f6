#pragma once

#include "check/check.h"

namespace trainyard {

/// What this object is to replace; nothing when that is of another version of its API, which has
/// other fields for the same.
View replaced(View object, CheckContext& context);

}  // namespace trainyard
