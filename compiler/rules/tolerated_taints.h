#pragma once

#include <vector>

#include "rules/rule_context.h"

namespace trainyard {

/// Whether a toleration is in the list already, word for word.
bool same_toleration(const Tree& tree, const std::vector<Fragment>& list, NodeId wanted);

/// Lets the role's pods land on nodes with these taints, in Kubernetes' shape. Nothing is tolerated
/// twice.
void tolerate_all(RuleContext& context, Role& role, const Shape& taints);

}  // namespace trainyard
