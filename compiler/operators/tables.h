#pragma once

#include <span>

#include "check/check.h"

namespace trainyard {

/// What operators refuse, by operator.
CheckTables operator_checks();

// Those of the files of this folder, one for each subject.
extern const std::span<const Check> derived_name_checks;
extern const std::span<const Check> training_operator_checks;
extern const std::span<const Check> mpi_operator_checks;
extern const std::span<const Check> training_runtime_checks;
extern const std::span<const Check> train_job_checks;
extern const std::span<const Check> torchtune_checks;
extern const std::span<const Check> jobset_checks;
extern const std::span<const Check> leader_worker_set_checks;
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

}  // namespace trainyard
