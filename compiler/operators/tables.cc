#include "operators/tables.h"

#include <array>

namespace trainyard {

CheckTables operator_checks() {
  static const auto all = std::to_array<std::span<const Check>>({
      derived_name_checks, training_operator_checks,
      mpi_operator_checks, training_runtime_checks,
      train_job_checks,    torchtune_checks,
      jobset_checks,       leader_worker_set_checks,
      volcano_job_checks,  volcano_queue_checks,
      volcano_checks,      kueue_quota_checks,
      kueue_job_checks,    kueue_topology_checks,
      kai_checks,          ray_cluster_checks,
      ray_checks,          ray_submission_checks,
      run_ai_checks,       nim_checks,
      argocd_checks,       flux_checks,
  });
  return all;
}

}  // namespace trainyard
