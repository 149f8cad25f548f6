#pragma once

#include "manifest/fabric_features.h"
#include "spec/cluster.h"
#include "tree/tree.h"

namespace trainyard {

// The nodes that a pod may go to, by the pools of a Cluster.

/// False when the pod's node selector names a label that the pool has with another value.
bool may_select(const Pool& pool, View pod_spec);
/// Whether the pod's node selector names a label that the pool has.
bool is_selected(const Pool& pool, View pod_spec);

/// The machine that a pod asks for, or else that of the pools of the Cluster to which it may go,
/// where all are of one sort. Nothing where that is not certain.
ChosenMachine machine_of(View pod_spec, const Cluster* cluster);

}  // namespace trainyard
