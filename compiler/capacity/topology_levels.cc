#include "capacity/topology_levels.h"

#include <algorithm>

namespace trainyard {

std::vector<Located<TopologyLevel>> topology_levels(const Pool* pool, const Machine* machine,
                                                    const MachineSpec* cloud) {
  if (pool != nullptr && pool->topology.given()) return *pool->topology;
  const bool has_fabric = machine != nullptr && machine->fabric && *machine->fabric != "none";
  if (cloud == nullptr || !has_fabric) return {};
  std::vector<Located<TopologyLevel>> levels = *cloud->topology;
  if (!machine->nvlink_nodes) {
    std::erase_if(levels, [](const auto& level) { return *level->name == "nvlink"; });
  }
  return levels;
}

}  // namespace trainyard
