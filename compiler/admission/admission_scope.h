#pragma once

#include "admission/expressions.h"

namespace trainyard {

/// What expressions of webhooks and of policies of admission are given beside `variables`.
/// kubernetes/apiserver pkg/admission/plugin/cel/compile.go
void declare_request(ExpressionScope& scope, bool has_params, bool has_authorizer);

}  // namespace trainyard
