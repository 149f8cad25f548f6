#include "rules/host_ports.h"

#include "rules/fabric_use.h"

namespace trainyard {

const Flag* host_network_of(RuleContext& context, const RoleInput& input) {
  const Flag& wanted = context.of(input, &RoleFields::network)->host_network;
  if (wanted.value_or(false)) return &wanted;
  for (const FabricUse& use : fabrics_of(context, input)) {
    if (use.profile == nullptr || !use.profile->host_network.value_or(false)) continue;
    if (!obstacles_of(context, input, use).empty()) continue;
    return use.settings->host_network ? &use.settings->host_network : &use.profile->host_network;
  }
  return nullptr;
}

std::int64_t host_port_of(const RuleContext& context, HostPort use) {
  constexpr std::uint32_t kPorts = 4000;  // of each use
  constexpr std::int64_t kFirst = 20000;
  std::uint32_t mixed = 2166136261U;  // FNV-1a
  const auto mix = [&mixed](std::string_view text) {
    for (const char each : text) mixed = (mixed ^ static_cast<unsigned char>(each)) * 16777619U;
  };
  if (context.plan.ns) mix(*context.plan.ns);
  mix("/");
  mix(*context.plan.name);
  return kFirst + (use == HostPort::Ssh ? kPorts : 0) + mixed % kPorts;
}

}  // namespace trainyard
