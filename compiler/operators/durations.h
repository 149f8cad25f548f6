#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// A text that an operator reads into metav1.Duration. The schema knows only that it is a
/// text. kubernetes/apimachinery pkg/apis/meta/v1/duration.go UnmarshalJSON
void check_duration(View at, CheckContext& context);

}  // namespace trainyard
