#pragma once

#include <string>
#include <vector>

#include "driver/explain/explain_pod.h"
#include "source/origin.h"
#include "tree/tree.h"

namespace trainyard {

/// Masks credentials, which must not be in a log.
void mask_secrets(Tree& tree, NodeId pod);

/// Writes a pod as YAML. What a controller added gets its mark as a comment at the end of the line,
/// and so does a field of the pod that a variable refers to and whose value is known. The marks are
/// appended to `injected`.
std::string written_pod(Tree& tree, NodeId pod, const Origins& origins,
                        std::vector<InjectedValue>& injected);

}  // namespace trainyard
