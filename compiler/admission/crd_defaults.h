#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// Reports the defaults in the schemas of a CustomResourceDefinition that the API server refuses:
/// in places that have none, and those that do not fit the schema that they stand in.
void crd_defaults(View object, CheckContext& context);

}  // namespace trainyard
