#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// GPUs that pods for KAI take together against the limit of their queue and of those above it, as
/// far as these are among the inputs.
void check_kai_limit(const Workload& workload, CheckContext& context);

}  // namespace trainyard
