#pragma once

#include "check/check_context.h"
#include "driver/session/session.h"
#include "manifest/workload.h"

namespace trainyard {

/// Asks the checks of launchers about the PyTorchJob that Run:ai makes, as far as the answer does
/// not depend on what Run:ai adds.
void ask_launch_checks(const Workload& job, CheckContext& context);

/// A DistributedWorkload of the user's has its command in one text, and no pod template for checks
/// of launchers. Reports what they say of the PyTorchJob that Run:ai makes of it.
void check_run_ai_job(Session& session, View workload, const CheckInputs& surroundings);

}  // namespace trainyard
