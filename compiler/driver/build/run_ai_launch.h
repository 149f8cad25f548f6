#pragma once

#include "check/check_context.h"
#include "diag/sink.h"
#include "driver/build/compile.h"

namespace trainyard {

/// A DistributedWorkload has its command in one text, and no pod template for checks of launchers.
/// They are asked about the PyTorchJob that Run:ai makes of it, as far as the plan has it.
void check_run_ai_launch(const Compilation& job, const CheckInputs& surroundings,
                         Documents documents, Sink& sink);

}  // namespace trainyard
