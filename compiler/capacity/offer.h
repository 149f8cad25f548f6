#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/cluster.h"
#include "spec/machine.h"
#include "tree/quantity.h"

namespace trainyard {

/// How much of a resource one node offers to pods.
struct Offer {
  std::string_view resource;  // or the class of devices
  Quantity amount;
  bool gpu = false;      // GPUs or parts of them
  bool claimed = false;  // devices that pods claim, which no quota counts
  Span place;            // of what says so
};

/// Something that the Cluster does not say about a pool, and that decides what the pool offers.
struct OfferGap {
  Span place;
  std::string what;    // "it is unknown how many NICs a node has"
  std::string advice;  // what would tell
};

/// A pool and what each of its nodes offers: CPU and memory first, then GPUs, then the rest.
struct PoolOffer {
  const Pool* pool = nullptr;
  const Machine* machine = nullptr;  // null when it is not known
  std::vector<Offer> offers;
  std::vector<OfferGap> gaps;

  const Offer* find(std::string_view resource) const;
  bool has_gpus() const;
};

/// Keeps a computed name for as long as the offer is used.
using KeepText = std::function<std::string_view(std::string)>;

/// What the pods of jobs can request on the nodes of a pool, under the names that the rules for
/// jobs give to it. What a site states of its pool goes before what is known of the machine.
PoolOffer offer_of(const ClusterSpec& cluster, const Pool& pool, const Machine* machine,
                   const KeepText& keep);

/// How the pool's GPUs are cut, and by whom they are shared; null when they are not.
MigStrategy mig_strategy_of(const ClusterSpec& cluster, const Pool& pool);
const Located<Sharing>* sharing_of(const ClusterSpec& cluster, const Pool& pool);
/// Who hands out the pool's GPUs.
GpuAllocation allocation_of(const ClusterSpec& cluster, const Pool& pool);

/// How the cloud of a pool's machine marks nodes that are bought as the pool's are; null when it
/// does not, or the pool does not say how.
const MachineCapacity* marks_of(const MachineSpec* cloud, const Pool& pool);

inline constexpr std::string_view kProductLabel = "nvidia.com/gpu.product";

/// The label `nvidia.com/gpu.product` of nodes whose GPUs are called `gpu`. `slices` is the profile
/// that all of them are cut into with strategy `single`, "" for whole ones; `shared` when pods
/// share them under their plain name.
std::string product_label(std::string_view gpu, std::string_view slices, bool shared);

/// The label that nodes of a pool have; "" where the Cluster does not say how their GPUs are cut.
std::string product_label(const ClusterSpec& cluster, const Pool& pool, std::string_view gpu);

/// A profile as resource names and labels have it: `1g.10gb.me` for `1g.10gb+me`.
std::string plain_profile(std::string_view profile);

/// Classes of devices by which GPUs and slices of them are claimed (NVIDIA/k8s-dra-driver-gpu
/// deployments/helm/nvidia-dra-driver-gpu/templates/deviceclass-gpu.yaml and deviceclass-mig.yaml).
inline constexpr std::string_view kGpuClass = "gpu.nvidia.com";
inline constexpr std::string_view kSliceClass = "mig.nvidia.com";

}  // namespace trainyard
