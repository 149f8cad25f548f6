#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "effective/pods.h"
#include "manifest/workload.h"

namespace trainyard {

/// Ranks of the processes of a pod, the last one included.
struct RankRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// A volume of a pod, or all of its paths of the node.
struct DrawnVolume {
  std::string name;                // of the volume; "" for those paths
  std::string source;              // `claim imagenet`
  std::vector<std::string> lines;  // `at /data`, and the init containers that may write to it
};

/// The container that trains: the first one that is not a sidecar.
View main_container(View pod);

/// What a variable of a container says in this pod, also by a field of the pod; "" where only the
/// cluster knows, and where there is none.
std::string_view variable_in(View pod, View container, std::string_view name);

/// The ranks that the variables of a pod, or its index under mpirun, give to its processes.
std::optional<RankRange> ranks_of(const Workload& workload, View pod, std::int64_t index);

/// Where ranks meet, `HOST:PORT`; "" for nowhere.
std::string meeting_of(View pod);

/// GPUs, slices and network devices of a pod, and the containers beside the one that trains.
std::vector<std::string> equipment_of(View pod);

std::vector<DrawnVolume> volumes_of(View pod);

}  // namespace trainyard
