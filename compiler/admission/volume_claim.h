#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// The `spec` of a PersistentVolumeClaim, which may be missing; `holder` is what it is missing in.
void check_claim_spec(View spec, View holder, CheckContext& context);

}  // namespace trainyard
