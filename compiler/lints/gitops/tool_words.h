#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

// Rows of the table in lints/core/annotation.cc.

/// Words of Flux in annotations and labels.
void flux_words(View object, CheckContext& context);
/// Options of Argo CD in annotations.
void argo_options(View object, CheckContext& context);
/// Options of Argo CD in an Application, or in the template of an ApplicationSet.
void application_options(View object, CheckContext& context);

}  // namespace trainyard
