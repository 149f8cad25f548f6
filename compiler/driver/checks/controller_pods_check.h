#pragma once

#include "check/check_context.h"
#include "driver/session/session.h"

namespace trainyard {

/// Holds what controllers add to the pods of a job to the level of pod security that is enforced in
/// its namespace. What the user wrote has been checked in the job. Operators can be set up
/// otherwise, so these are warnings. Also asks about the job that Run:ai makes.
void check_made_pods(Session& session, View job, const CheckInputs& surroundings);

}  // namespace trainyard
