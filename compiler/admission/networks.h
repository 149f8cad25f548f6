#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

// Addresses and networks as the API server takes them; from Kubernetes 1.36 on without leading
// zeros (StrictIPCIDRValidation). What is empty or no text is left alone.

void check_address(View text, CheckContext& context);
/// A network; from Kubernetes 1.36 on without bits behind its prefix (StrictIPCIDRValidation).
void check_network(View text, CheckContext& context);

}  // namespace trainyard
