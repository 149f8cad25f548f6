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
extern const std::span<const Check> update_checks;
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
extern const std::span<const Check> derived_name_checks;
extern const std::span<const Check> version_checks;
// Those of operators.
extern const std::span<const Check> volcano_job_checks;
extern const std::span<const Check> volcano_queue_checks;
extern const std::span<const Check> volcano_checks;
extern const std::span<const Check> kueue_quota_checks;
extern const std::span<const Check> kueue_job_checks;
extern const std::span<const Check> kueue_topology_checks;
extern const std::span<const Check> kai_checks;
extern const std::span<const Check> ray_cluster_checks;
extern const std::span<const Check> ray_checks;
extern const std::span<const Check> ray_submission_checks;
extern const std::span<const Check> run_ai_checks;
extern const std::span<const Check> nim_checks;
extern const std::span<const Check> argocd_checks;
extern const std::span<const Check> flux_checks;

// Those of check/operators/.
extern const std::span<const Check> training_operator_checks;
extern const std::span<const Check> mpi_operator_checks;
extern const std::span<const Check> training_runtime_checks;
extern const std::span<const Check> train_job_checks;
extern const std::span<const Check> torchtune_checks;
extern const std::span<const Check> jobset_checks;
extern const std::span<const Check> leader_worker_set_checks;

// Those of lints/: what is taken, and then runs wrong.
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
