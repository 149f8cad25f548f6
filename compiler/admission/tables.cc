#include "admission/tables.h"

#include <array>

namespace trainyard {

CheckTables admission_checks() {
  static const auto all = std::to_array<std::span<const Check>>({
      pod_label_checks,
      pod_reference_checks,
      pod_container_checks,
      pod_volume_checks,
      pod_mount_checks,
      pod_port_checks,
      pod_env_checks,
      pod_resource_checks,
      pod_probe_checks,
      pod_scheduling_checks,
      pod_security_checks,
      security_level_checks,
      pod_dns_checks,
      pod_lifetime_checks,
      job_checks,
      workload_checks,
      service_checks,
      config_checks,
      claim_checks,
      storage_checks,
      network_checks,
      node_checks,
      device_claim_checks,
      device_selector_checks,
      availability_checks,
      quota_checks,
      rbac_checks,
      crd_checks,
      crd_rule_checks,
      webhook_checks,
      admission_policy_checks,
      endpoint_checks,
      version_checks,
      update_checks,
  });
  return all;
}

}  // namespace trainyard
