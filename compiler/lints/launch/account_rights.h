#pragma once

#include "check/check.h"

namespace trainyard {

/// What a container asks for with kubectl, and no role of its ServiceAccount allows: as far as the
/// inputs have all the roles that are bound to it.
void check_account_rights(const Pod& pod, CheckContext& context);
/// The same for the objects that steps of Argo make, in their manifests.
void check_workflow_rights(View object, CheckContext& context);

}  // namespace trainyard
