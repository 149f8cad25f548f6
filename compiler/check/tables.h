#pragma once

#include <array>
#include <span>
#include <string_view>

#include "check/check.h"

namespace trainyard {

inline constexpr auto kPullPolicies =
    std::to_array<std::string_view>({"Always", "IfNotPresent", "Never"});
inline constexpr auto kProtocols = std::to_array<std::string_view>({"TCP", "UDP", "SCTP"});
inline constexpr auto kRestartPolicies =
    std::to_array<std::string_view>({"Always", "OnFailure", "Never"});

// The tables of the files of this folder, one for each subject.
extern const std::span<const Check> pod_label_checks;
extern const std::span<const Check> pod_reference_checks;
extern const std::span<const Check> pod_container_checks;
extern const std::span<const Check> pod_volume_checks;
extern const std::span<const Check> pod_mount_checks;
extern const std::span<const Check> pod_port_checks;
extern const std::span<const Check> pod_env_checks;
extern const std::span<const Check> pod_resource_checks;
extern const std::span<const Check> pod_probe_checks;
extern const std::span<const Check> pod_scheduling_checks;
extern const std::span<const Check> pod_security_checks;
extern const std::span<const Check> pod_dns_checks;
extern const std::span<const Check> pod_lifetime_checks;
extern const std::span<const Check> job_checks;
extern const std::span<const Check> workload_checks;
extern const std::span<const Check> service_checks;
extern const std::span<const Check> config_checks;
extern const std::span<const Check> claim_checks;
extern const std::span<const Check> storage_checks;
extern const std::span<const Check> network_checks;
extern const std::span<const Check> availability_checks;
extern const std::span<const Check> quota_checks;
extern const std::span<const Check> rbac_checks;
extern const std::span<const Check> derived_name_checks;
extern const std::span<const Check> version_checks;

}  // namespace trainyard
