#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {

extern const Rule argument_check_rule;
extern const Rule capacity_check_rule;
extern const Rule checkpoint_check_rule;
extern const Rule checkpoint_signal_rule;
extern const Rule cluster_names_check_rule;
extern const Rule computed_option_check_rule;
extern const Rule container_rule;
extern const Rule credential_check_rule;
extern const Rule data_rule;
extern const Rule data_transfer_rule;
extern const Rule elastic_rule;
extern const Rule endless_check_rule;
extern const Rule entrypoint_rule;
extern const Rule environment_rule;
extern const Rule fabric_check_rule;
extern const Rule failure_policy_rule;
extern const Rule gpu_memory_rule;
extern const Rule gpu_model_check_rule;
extern const Rule gpu_sharing_check_rule;
extern const Rule gpu_share_rule;
extern const Rule gpus_rule;
extern const Rule host_network_rule;
extern const Rule initializers_check_rule;
extern const Rule isolation_check_rule;
extern const Rule isolation_rule;
extern const Rule job_identity_rule;
extern const Rule job_name_rule;
extern const Rule kubernetes_version_check_rule;
extern const Rule lacking_parts_check_rule;
extern const Rule launch_line_rule;
extern const Rule launcher_check_rule;
extern const Rule lifetime_rule;
extern const Rule mig_check_rule;
extern const Rule mpirun_rule;
extern const Rule namespace_security_check_rule;
extern const Rule network_rule;
extern const Rule no_effect_check_rule;
extern const Rule no_pod_template_rule;
extern const Rule node_labels_rule;
extern const Rule node_resources_rule;
extern const Rule node_selection_rule;
extern const Rule nodes_rule;
extern const Rule one_pod_per_node_rule;
extern const Rule operator_check_rule;
extern const Rule operator_version_check_rule;
extern const Rule packing_rule;
extern const Rule parallelism_check_rule;
extern const Rule pod_override_check_rule;
extern const Rule processes_rule;
extern const Rule pull_secrets_rule;
extern const Rule quantity_check_rule;
extern const Rule queue_coverage_check_rule;
extern const Rule queueing_rule;
extern const Rule ray_state_rule;
extern const Rule rendezvous_rule;
extern const Rule rendezvous_variables_rule;
extern const Rule results_check_rule;
extern const Rule roles_check_rule;
extern const Rule roles_rule;
extern const Rule runai_fields_rule;
extern const Rule runtime_class_rule;
extern const Rule runtime_reference_check_rule;
extern const Rule security_rule;
extern const Rule service_mesh_rule;
extern const Rule serve_rule;
extern const Rule shared_memory_rule;
extern const Rule spot_rule;
extern const Rule staged_files_rule;
extern const Rule storage_rule;
extern const Rule target_limits_rule;
extern const Rule topology_rule;
extern const Rule training_runtime_rule;
extern const Rule workspace_rule;

namespace {

// The order in which rules run.
constexpr const Rule* kRules[] = {
    // What the job is.
    &target_limits_rule,
    &roles_rule,
    &elastic_rule,
    &job_name_rule,
    &job_identity_rule,
    &queueing_rule,
    &data_rule,
    &training_runtime_rule,
    // What it runs on.
    &nodes_rule,
    &gpus_rule,
    &gpu_share_rule,
    &node_resources_rule,
    &processes_rule,
    &node_selection_rule,
    &spot_rule,
    &node_labels_rule,
    &gpu_memory_rule,
    &one_pod_per_node_rule,
    &packing_rule,
    &topology_rule,
    &runtime_class_rule,
    // How its processes meet and start.
    &host_network_rule,
    &rendezvous_rule,
    &rendezvous_variables_rule,
    &launch_line_rule,
    &environment_rule,
    // What is around them.
    &container_rule,
    &isolation_rule,
    &network_rule,
    &storage_rule,
    &staged_files_rule,
    &shared_memory_rule,
    &pull_secrets_rule,
    &workspace_rule,
    &serve_rule,
    &security_rule,
    &mpirun_rule,
    &entrypoint_rule,
    &ray_state_rule,
    &data_transfer_rule,
    &service_mesh_rule,
    // How it ends.
    &failure_policy_rule,
    &lifetime_rule,
    &checkpoint_signal_rule,
    // Where there is no pod template to hold all this.
    &runai_fields_rule,
    &no_pod_template_rule,
    // Nothing is set beyond this point.
    &roles_check_rule,
    &lacking_parts_check_rule,
    &kubernetes_version_check_rule,
    &operator_check_rule,
    &operator_version_check_rule,
    &runtime_reference_check_rule,
    &initializers_check_rule,
    &cluster_names_check_rule,
    &quantity_check_rule,
    &gpu_model_check_rule,
    &mig_check_rule,
    &gpu_sharing_check_rule,
    &capacity_check_rule,
    &queue_coverage_check_rule,
    &checkpoint_check_rule,
    &results_check_rule,
    &parallelism_check_rule,
    &launcher_check_rule,
    &endless_check_rule,
    &isolation_check_rule,
    &no_effect_check_rule,
    &argument_check_rule,
    &computed_option_check_rule,
    &credential_check_rule,
    &fabric_check_rule,
    &namespace_security_check_rule,
    &pod_override_check_rule,
};

}  // namespace

std::span<const Rule* const> all_rules() {
  return kRules;
}

const Rule* find_rule(std::string_view name) {
  for (const Rule* rule : kRules) {
    if (rule->name == name) return rule;
  }
  return nullptr;
}

void run_rules(RuleContext& context) {
  for (const Rule* rule : kRules) {
    context.rule = rule->name;
    rule->run(context);
  }
}

}  // namespace trainyard
