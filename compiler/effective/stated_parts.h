#pragma once

#include <vector>

#include "effective/pod_builder.h"

namespace trainyard {

/// Whether objects of this kind state parts of their pods outside of any pod template, while the
/// rest is known to others: a TrainJob without its runtime, NIMService, NIMCache, and workflows of
/// Argo.
bool states_parts(View object);

/// Pods of what such an object states of its pods, and nothing else: what is missing in them says
/// nothing, what is wrong in them is wrong in the pods. Parts keep their lines.
std::vector<NodeId> stated_parts(PodBuilder& maker, View object);

/// The templates of a workflow of Argo, whatever kind holds them; nothing for other objects.
View workflow_templates(View object);

}  // namespace trainyard
