#pragma once

#include <cstdint>
#include <optional>

#include "tree/tree.h"

namespace trainyard {

/// GPUs of a cluster that does not change: of its largest pod, and of all.
struct ClusterGpus {
  std::int64_t of_pod = 0;
  std::int64_t of_all = 0;
};

/// Of the spec of a RayCluster, as Ray sees them; nothing where that is not certain.
std::optional<ClusterGpus> gpus_of_cluster(View cluster);

}  // namespace trainyard
