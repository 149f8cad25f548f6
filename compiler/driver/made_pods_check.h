#pragma once

#include <vector>

#include "check/context.h"
#include "driver/session.h"

namespace trainyard {

/// Whether the controller of `object` may add containers to the pods that it makes, and we know
/// which.
bool adds_containers(View object);

/// Holds what controllers add to the pods of these jobs to the level of pod security that their
/// namespace enforces. What users wrote themselves has been checked in the jobs. Operators can be
/// set up otherwise, so these are warnings.
void check_made_pods(Session& session, const std::vector<View>& jobs,
                     const Surroundings& surroundings);

}  // namespace trainyard
