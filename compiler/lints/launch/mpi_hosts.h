#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether mpirun may start more processes than there are slots, by an option or by a variable.
bool may_oversubscribe(View container);

/// `-x "NAME VALUE"`: mpirun looks for a variable of that name, and ends where there is none.
void check_exported_variables(View container, CheckContext& context);

}  // namespace trainyard
