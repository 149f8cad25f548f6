#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

// What webhooks and policies of admission have in common.
// kubernetes/kubernetes pkg/apis/admissionregistration/validation/validation.go

/// Which requests something is about: groups, versions, resources, operations.
void check_request_rule(View rule, CheckContext& context);

/// `matchConditions`: expressions that decide whether a request is looked at at all.
void check_match_conditions(View holder, bool has_params, CheckContext& context);

/// What happens when it cannot be asked.
void check_failure_policy(View policy, CheckContext& context);

/// Whether requests for other versions of the same thing count.
void check_match_policy(View policy, CheckContext& context);

}  // namespace trainyard
