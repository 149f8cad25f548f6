#pragma once

#include <cstdint>
#include <optional>

#include "tree/tree.h"

namespace trainyard {

/// GPUs of a Ray cluster that does not change: of its largest pod, and of all.
struct ClusterGpus {
  std::int64_t of_pod = 0;
  std::int64_t of_all = 0;
};

/// Nothing where they are not known.
std::optional<ClusterGpus> gpus_of_cluster(View cluster);

}  // namespace trainyard
