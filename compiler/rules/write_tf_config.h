#pragma once

#include "rules/rule_context.h"

namespace trainyard {

/// Writes `TF_CONFIG` of a role: the hosts of all roles, and which of them the pod is
/// (tensorflow/tensorflow python/distribute/cluster_resolver/tfconfig_cluster_resolver.py).
void write_tf_config(RuleContext& context, Role& role);

}  // namespace trainyard
