#pragma once

#include "check/check.h"

namespace trainyard {

/// What a workflow of Argo names of its own templates, tasks and parameters, and has not.
void check_workflow(View object, CheckContext& context);

}  // namespace trainyard
