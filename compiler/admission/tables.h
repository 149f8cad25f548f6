#pragma once

#include <span>

#include "check/check.h"

namespace trainyard {

/// What the API server refuses, by subject, in the order in which people read a manifest.
CheckTables admission_checks();

// Those of the files of this folder, one for each subject.
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
extern const std::span<const Check> security_level_checks;
extern const std::span<const Check> pod_dns_checks;
extern const std::span<const Check> pod_lifetime_checks;
extern const std::span<const Check> job_checks;
extern const std::span<const Check> workload_checks;
extern const std::span<const Check> service_checks;
extern const std::span<const Check> config_checks;
extern const std::span<const Check> claim_checks;
extern const std::span<const Check> storage_checks;
extern const std::span<const Check> network_checks;
extern const std::span<const Check> node_checks;
extern const std::span<const Check> device_claim_checks;
extern const std::span<const Check> device_selector_checks;
extern const std::span<const Check> availability_checks;
extern const std::span<const Check> quota_checks;
extern const std::span<const Check> rbac_checks;
extern const std::span<const Check> crd_checks;
extern const std::span<const Check> crd_rule_checks;
extern const std::span<const Check> webhook_checks;
extern const std::span<const Check> admission_policy_checks;
extern const std::span<const Check> endpoint_checks;
extern const std::span<const Check> version_checks;
extern const std::span<const Check> update_checks;

}  // namespace trainyard
