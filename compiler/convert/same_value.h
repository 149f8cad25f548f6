#pragma once

#include "tree/tree.h"

namespace trainyard {

/// Equal, in whatever order the entries of maps stand.
bool same_value(View a, View b);

}  // namespace trainyard
