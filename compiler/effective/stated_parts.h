#pragma once

#include "effective/pod_builder.h"

namespace trainyard {

/// Whether objects of this kind state parts of their pods outside of any pod template, while the
/// rest is known to others: a TrainJob without its runtime, NIMService, NIMCache.
bool states_parts(View object);

/// A pod of what such an object states of its pods, and nothing else: what is missing in it says
/// nothing, what is wrong in it is wrong in the pod. Parts keep their lines.
NodeId stated_parts(Maker& maker, View object);

}  // namespace trainyard
