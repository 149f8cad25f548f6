#pragma once

#include <string_view>

#include "plan/plan.h"

namespace trainyard {

class RuleContext;

/// The mount that a path is on: of several the innermost; null for none.
const VolumeMount* mount_of(const Role& role, std::string_view path);

/// The volume of a mount; null for none.
const Volume* volume_of(const Role& role, std::string_view name);

/// What the source of a volume is, as `emptyDir`.
std::string_view source_of(const Plan& plan, const Role& role, std::string_view volume);

/// True when the job's storage is mounted on several nodes: by pods of one role, or of several.
bool on_several_nodes(const RuleContext& context);

/// True when a part of a pod in Kubernetes' shape mounts something where the path is.
bool mounts(const Tree& tree, NodeId node, std::string_view path);

}  // namespace trainyard
