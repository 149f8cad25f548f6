#pragma once

#include "check/check_context.h"
#include "manifest/job.h"
#include "manifest/pod.h"
#include "tree/tree.h"

namespace trainyard {

// Asks the check of a policy that the context uses. Each ends within a number of steps.

void ask_policy_of_pod(const Pod& pod, CheckContext& context);
void ask_policy_of_job(const Job& job, CheckContext& context);
void ask_policy_of_object(View object, CheckContext& context);

}  // namespace trainyard
