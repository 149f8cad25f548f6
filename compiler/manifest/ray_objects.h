#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "manifest/versions.h"
#include "tree/tree.h"

namespace trainyard {

// How KubeRay reads its objects: ray-project/kuberay ray-operator/controllers/ray/utils/util.go.

/// The RayJob spec of a RayJob or a RayCronJob; an empty view for the others.
View ray_job_spec(View object);
/// The spec of the Ray cluster in any object of `ray.io`; may be empty for a RayJob.
View ray_cluster_spec(View object);

bool ray_scales_itself(View cluster);
/// The container with Ray is the first one.
View ray_container(View group);
/// Three numbers of a version such as `2.52.0`; nothing when it does not begin with two.
std::optional<std::array<int, 3>> ray_version(std::string_view text);

}  // namespace trainyard
