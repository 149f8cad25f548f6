#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_context.h"

namespace trainyard {

/// A fabric that a role's pods are to use, as the spec, the pool or the machine says.
struct FabricUse {
  std::string_view name;
  const Fabric* fabric = nullptr;            // null when there is none of that name
  const FabricProfile* profile = nullptr;    // null when none fits
  const FabricSettings* settings = nullptr;  // of the Cluster; never null
  Span place;                                // what brings it in
  bool asked = false;                        // by its name in the spec
};

/// Why a fabric cannot be used.
struct Obstacle {
  std::string reason;  // half a sentence
  Span place;          // what stands in the way; may be unknown
  bool fault = false;  // something is written that is wrong; not merely absent
};

/// An extended resource that the fabric's devices come by.
struct DeviceRequest {
  std::string_view resource;
  std::int64_t amount = 0;
  OriginId origin = kNoOrigin;
};

/// The fabrics of a role, that below NVLink first. None for pods without GPUs, and for a lone pod
/// whose spec names none.
std::vector<FabricUse> fabrics_of(const RuleContext& context, const RoleInput& input);

/// What keeps the role's pods from using it; a use without obstacles has a fabric and a profile.
std::vector<Obstacle> obstacles_of(RuleContext& context, const RoleInput& input,
                                   const FabricUse& use);

/// Variables that give NCCL and Gloo the interface by which ranks meet.
inline constexpr std::string_view kInterfaceVariables[] = {"NCCL_SOCKET_IFNAME",
                                                           "GLOO_SOCKET_IFNAME"};

/// True for a fabric that needs nothing of pods: sockets.
bool is_plain_fabric(std::string_view name);

/// The installed version, or the newest; null when the fabric has none or the Cluster's is unknown.
const FabricVersion* fabric_version(const FabricUse& use);

/// Secondary networks, as the pool names them, else the Cluster.
const TextList& fabric_networks(const RoleInput& input, const FabricUse& use);
/// How many the fabric has on these nodes; nothing when that is not known.
std::optional<std::int64_t> network_count(const RoleInput& input, const FabricUse& use);

/// What the number of a device resource means: as the Cluster says, else the fabric.
FabricCount device_count_rule(const FabricUse& use);

/// What a pod of the role requests; none when the devices come otherwise or in an unknown way.
std::vector<DeviceRequest> device_requests(RuleContext& context, const RoleInput& input,
                                           const FabricUse& use);

/// The daemon as a container beside the program rather than a native sidecar.
bool has_plain_sidecar(const FabricUse& use);

}  // namespace trainyard
