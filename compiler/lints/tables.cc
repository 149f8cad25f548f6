#include "lints/tables.h"

#include <array>

namespace trainyard {

CheckTables lints() {
  static const auto all = std::to_array<std::span<const Check>>({
      annotation_lints,
      process_lints,
      rank_lints,
      gang_size_lints,
      gang_wait_lints,
      start_together_lints,
      scheduler_lints,
      memory_lints,
      claim_lints,
      image_lints,
      fabric_lints,
      fabric_setting_lints,
      interface_lints,
      claim_template_lints,
      architecture_lints,
      pool_lints,
      credential_lints,
      argument_lints,
      lifetime_lints,
      mig_lints,
      mpi_lints,
      host_name_lints,
      ray_lints,
      admission_lints,
      sidecar_lints,
      rank_variable_lints,
      affinity_lints,
      mesh_lints,
      secret_lints,
      command_lints,
      field_reference_lints,
      identity_lints,
      kubeflow_lints,
      limit_lints,
      volcano_queue_lints,
      traffic_lints,
      visible_device_lints,
      daemon_release_lints,
      fabric_role_lints,
      gke_daemon_lints,
      gke_plugin_lints,
      efa_lints,
      nvlink_domain_lints,
      service_lints,
      asked_host_lints,
      sync_wave_lints,
      client_side_apply_lints,
      startup_lints,
      mpi_host_lints,
      binding_lints,
      repeated_lints,
  });
  return all;
}

}  // namespace trainyard
