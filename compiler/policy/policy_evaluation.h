#pragma once

#include "check/check_context.h"
#include "manifest/job.h"
#include "manifest/pod.h"
#include "policy/policy_checks.h"
#include "tree/tree.h"

namespace trainyard {

// Asks a check, which the context uses. Each ends within a number of steps.

void ask_of_pod(const Pod& pod, PolicyCheck& check, CheckContext& context);
void ask_of_job(const Job& job, PolicyCheck& check, CheckContext& context);
void ask_of_object(View object, PolicyCheck& check, CheckContext& context);

// Asks the check of a policy file that the context uses.

void ask_policy_of_pod(const Pod& pod, CheckContext& context);
void ask_policy_of_job(const Job& job, CheckContext& context);
void ask_policy_of_object(View object, CheckContext& context);

}  // namespace trainyard
