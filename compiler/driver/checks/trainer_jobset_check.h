#pragma once

#include <vector>

#include "check/check_context.h"
#include "driver/session/session.h"

namespace trainyard {

/// Whether `object` is folded into another one before pods are made.
bool is_folded(View object);

/// Checks the JobSets that the Trainer makes of TrainJobs whose runtime is in the inventory. What
/// is wrong is reported at the line of the TrainJob or of the runtime that caused it, unless
/// something has been reported there already: of a runtime that many jobs use, only once.
void check_folded(Session& session, const std::vector<View>& train_jobs,
                  const CheckInputs& surroundings);

}  // namespace trainyard
