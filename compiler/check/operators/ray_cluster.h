#pragma once

#include <string_view>

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
/// The entry of a variable in a container; an empty view when it is not set.
View environment_entry(View container, std::string_view name);

}  // namespace trainyard
