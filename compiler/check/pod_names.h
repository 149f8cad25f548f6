#pragma once

#include "check/place.h"
#include "diag/sink.h"
#include "target/object_set.h"

namespace trainyard {

/// Checks the names inside the pod templates: of volumes, variables and ports, and of what exists
/// already and is only referred to. None of them may be changed to make it fit.
/// Rules: kubernetes/kubernetes pkg/apis/core/validation/validation.go.
void check_pod_names(const ObjectSet& objects, const Origins& origins, Documents documents,
                     Sink& sink);

}  // namespace trainyard
