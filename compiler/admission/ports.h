#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// A port by its number or by the name of a container's port.
void check_port_or_name(View port, CheckContext& context);

/// A port by its number.
void check_port_number(View port, CheckContext& context);

}  // namespace trainyard
