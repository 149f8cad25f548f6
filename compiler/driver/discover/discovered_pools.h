#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/survey/real_nodes.h"
#include "spec/machine.h"

namespace trainyard {

/// A machine of the catalogue, with what holds for all of its cloud.
struct KnownMachine {
  const Machine* machine = nullptr;
  const MachineSpec* cloud = nullptr;
};

/// How the GPUs of nodes are offered, by their resources and the labels of GPU Feature Discovery.
struct RealGpus {
  std::string product;                      // of whole GPUs: NVIDIA-H100-80GB-HBM3
  std::int64_t count = 0;                   // whole GPUs of a node; 0 where only slices are known
  std::map<std::string, std::int64_t> mig;  // slices of a node by profile
  bool is_mixed = false;                    // each profile has a resource of its own
  std::string sharing;                      // `time-slicing`, `mps`; "" where they are not shared
  std::int64_t replicas = 1;
  bool is_renamed = false;  // nvidia.com/gpu.shared
};

/// Nodes that look alike, and what to say of them in a Cluster document.
struct DiscoveredPool {
  std::string name;
  std::vector<const RealNode*> nodes;
  std::map<std::string, std::string> labels;  // that tell them from all others
  std::vector<NodeTaint> taints;
  std::string zone;
  RealGpus gpus;
  Amounts devices;  // other extended resources of a node, such as rdma/ib
  Quantity cpu;     // the least that a node has for jobs
  Quantity memory;
  std::size_t daemons = 0;         // the most DaemonSets on a node that request some of that
  std::string name_by;             // what the name is made of
  KnownMachine machine;            // none where the catalogue has nothing like it
  std::string machine_by;          // why this machine; it begins with `guessed` for a guess
  std::string capacity;            // `spot`, `reserved` and the like; "" for what is not known
  std::string capacity_by;         // the label that says so
  std::string reservation;         // its name; "" for none
  bool is_stand_in = false;        // the machine has another sort of GPU
  std::vector<std::string> notes;  // what to check
};

/// Nodes with GPUs, grouped by the labels of node pools, instance types and GPUs. The order is that
/// of names.
std::vector<DiscoveredPool> discover_pools(const std::vector<RealNode>& nodes,
                                           const std::vector<KnownMachine>& machines);

RealGpus gpus_of(const RealNode& node);

}  // namespace trainyard
