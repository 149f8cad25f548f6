#pragma once

#include "rules/rule_context.h"

namespace trainyard {

/// Whether the pods of a role run at the level `baseline` because their image needs it: the kubelet
/// cannot tell that its user is not root, or `--allow-run-as-root` says that it is; and neither the
/// job nor the Cluster says a level or a user. A namespace of the level `restricted` takes no such
/// pods.
bool image_needs_baseline(const RuleContext& context, const Role& role);

/// Whether nothing but the image decides whether a container of the role starts at the level
/// `restricted`: neither the job nor the Cluster says a level or a user.
bool image_decides_user(const RuleContext& context, const Role& role);

/// What the Cluster says of the job's namespace; null where it says nothing.
const NamespaceInfo* namespace_of_job(const RuleContext& context);

}  // namespace trainyard
