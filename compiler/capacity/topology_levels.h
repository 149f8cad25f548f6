#pragma once

#include <string_view>
#include <vector>

#include "spec/cluster.h"
#include "spec/machine.h"

namespace trainyard {

/// The levels by which nodes are grouped, widest first: as their pool states them, else as the
/// cloud of the machine labels such nodes. Clouds label nodes that are on a fabric, and give a
/// level of NVLink only to machines whose NVLink reaches beyond one node. Each argument may be null
/// for what is not known. The texts live as long as the Cluster and the catalogue.
std::vector<Located<TopologyLevel>> topology_levels(const Pool* pool, const Machine* machine,
                                                    const MachineSpec* cloud);

/// The lowest level of every Topology that `trainyard build` makes: the node itself.
inline constexpr std::string_view kHostNameLevel = "kubernetes.io/hostname";

}  // namespace trainyard
