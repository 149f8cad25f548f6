#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// Reports `nats:4222` in a text where the Service of that name is among the inputs and has no such
/// port.
void check_service_ports(View text, CheckContext& context);

}  // namespace trainyard
