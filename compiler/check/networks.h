#pragma once

#include "check/context.h"
#include "tree/tree.h"

namespace trainyard {

/// A network; from Kubernetes 1.36 on without bits behind its prefix (StrictIPCIDRValidation).
void check_network(View text, CheckContext& context);

}  // namespace trainyard
