#pragma once

#include <span>

#include "check/check.h"

namespace trainyard {

/// What is accepted and then runs wrong, by subject.
CheckTables lints();

// Those of the files of this folder, one for each subject.
extern const std::span<const Check> annotation_lints;
extern const std::span<const Check> process_lints;
extern const std::span<const Check> rank_lints;
extern const std::span<const Check> gang_size_lints;
extern const std::span<const Check> gang_wait_lints;
extern const std::span<const Check> start_together_lints;
extern const std::span<const Check> scheduler_lints;
extern const std::span<const Check> memory_lints;
extern const std::span<const Check> claim_lints;
extern const std::span<const Check> image_lints;
extern const std::span<const Check> fabric_lints;
extern const std::span<const Check> fabric_setting_lints;
extern const std::span<const Check> interface_lints;
extern const std::span<const Check> claim_template_lints;
extern const std::span<const Check> architecture_lints;
extern const std::span<const Check> pool_lints;
extern const std::span<const Check> credential_lints;
extern const std::span<const Check> argument_lints;
extern const std::span<const Check> lifetime_lints;
extern const std::span<const Check> mig_lints;
extern const std::span<const Check> mpi_lints;
extern const std::span<const Check> host_name_lints;
extern const std::span<const Check> ray_lints;
extern const std::span<const Check> admission_lints;
extern const std::span<const Check> sidecar_lints;
extern const std::span<const Check> rank_variable_lints;
extern const std::span<const Check> affinity_lints;
extern const std::span<const Check> mesh_lints;
extern const std::span<const Check> secret_lints;
extern const std::span<const Check> command_lints;
extern const std::span<const Check> field_reference_lints;
extern const std::span<const Check> identity_lints;
extern const std::span<const Check> kubeflow_lints;
extern const std::span<const Check> limit_lints;
extern const std::span<const Check> volcano_queue_lints;
extern const std::span<const Check> traffic_lints;
extern const std::span<const Check> visible_device_lints;
extern const std::span<const Check> daemon_release_lints;
extern const std::span<const Check> fabric_role_lints;
extern const std::span<const Check> gke_daemon_lints;
extern const std::span<const Check> gke_plugin_lints;
extern const std::span<const Check> efa_lints;
extern const std::span<const Check> nvlink_domain_lints;
extern const std::span<const Check> service_lints;
extern const std::span<const Check> asked_host_lints;
extern const std::span<const Check> sync_wave_lints;
extern const std::span<const Check> client_side_apply_lints;
extern const std::span<const Check> startup_lints;
extern const std::span<const Check> mpi_host_lints;
extern const std::span<const Check> binding_lints;
extern const std::span<const Check> repeated_lints;

}  // namespace trainyard
