#include <array>

#include "effective/status.h"

namespace trainyard {
namespace {

using enum JobPhase;

// SuccessCriteriaMet and FailureTarget come before the pods have ended, Complete and Failed after.
// `active` counts pods that only wait for a node, too.
constexpr StatusSign kJob[] = {
    {Succeeded, "conditions.Complete"},
    {Failed, "conditions.Failed"},
    {Failing, "conditions.FailureTarget"},
    {Ending, "conditions.SuccessCriteriaMet"},
    {Suspended, "conditions.Suspended"},
    {Running, "ready", ">0"},
    {Pending, "active", ">0"},
};

// `ready` counts Jobs with all their pods ready.
constexpr StatusSign kJobSet[] = {
    {Succeeded, "conditions.Completed"}, {Failed, "conditions.Failed"},
    {Suspended, "conditions.Suspended"}, {Running, "replicatedJobsStatus[].ready", ">0"},
    {Restarting, "restarts", ">0"},      {Pending, "replicatedJobsStatus[].active", ">0"},
};

constexpr StatusSign kTrainJob[] = {
    {Succeeded, "conditions.Complete"},     {Failed, "conditions.Failed"},
    {Suspended, "conditions.Suspended"},    {Running, "jobsStatus[].ready", ">0"},
    {Pending, "jobsStatus[].active", ">0"},
};

// Created stays True for good, and comes first.
constexpr StatusSign kKubeflow[] = {
    {Succeeded, "conditions.Succeeded"}, {Failed, "conditions.Failed"},
    {Suspended, "conditions.Suspended"}, {Restarting, "conditions.Restarting"},
    {Running, "conditions.Running"},     {Pending, "conditions.Created"},
};

constexpr StatusSign kVolcano[] = {
    {Succeeded, "state.phase", "Completed"},   {Failed, "state.phase", "Failed"},
    {Failed, "state.phase", "Terminated"},     {Failed, "state.phase", "Aborted"},
    {Failing, "state.phase", "Terminating"},   {Failing, "state.phase", "Aborting"},
    {Restarting, "state.phase", "Restarting"}, {Ending, "state.phase", "Completing"},
    {Running, "state.phase", "Running"},       {Pending, "state.phase", "Pending"},
};

// The program's own state may be final before KubeRay has decided whether it starts the cluster
// again.
constexpr StatusSign kRayJob[] = {
    {Failed, "jobDeploymentStatus", "Failed"},
    {Failed, "jobDeploymentStatus", "ValidationFailed"},
    {Restarting, "jobDeploymentStatus", "Retrying"},
    {Suspended, "jobDeploymentStatus", "Suspended"},
    {Suspended, "jobDeploymentStatus", "Suspending"},
    {Succeeded, "jobStatus", "SUCCEEDED"},
    {Failing, "jobStatus", "FAILED"},
    {Failed, "jobStatus", "STOPPED"},
    {Running, "jobStatus", "RUNNING"},
    {Pending, "jobDeploymentStatus", "Initializing"},
    {Pending, "jobDeploymentStatus", "Waiting"},
    {Pending, "jobDeploymentStatus", "Running"},
};

// It never ends.
constexpr StatusSign kLeaderWorkerSet[] = {
    {Running, "conditions.Available"},
    {Running, "conditions.UpdateInProgress"},
    {Pending, "conditions.Progressing"},
};

// What a queue says of a job. Reasons of Finished were JobFinished before 0.9, for both ends.
constexpr StatusSign kWorkload[] = {
    {Failed, "conditions.Finished", "True", "Failed"},
    {Succeeded, "conditions.Finished", "True", "Succeeded"},
    {Ending, "conditions.Finished"},
    {Suspended, "conditions.Evicted"},
    {Running, "conditions.PodsReady"},
    {Pending, "conditions.Admitted"},
    {Pending, "conditions.QuotaReserved"},
    {Pending, "conditions.QuotaReserved", "False"},
};

constexpr std::string_view kTrainingOperator =
    "kubeflow/training-operator pkg/apis/kubeflow.org/v1/common_types.go";

constexpr StatusKind kKinds[] = {
    {"batch", "Job", "kubernetes/kubernetes staging/src/k8s.io/api/batch/v1/types.go", kJob},
    {"jobset.x-k8s.io", "JobSet", "kubernetes-sigs/jobset api/jobset/v1alpha2/jobset_types.go",
     kJobSet},
    {"trainer.kubeflow.org", "TrainJob",
     "kubeflow/trainer pkg/apis/trainer/v1alpha1/trainjob_types.go", kTrainJob},
    {"kubeflow.org", "PyTorchJob", kTrainingOperator, kKubeflow},
    {"kubeflow.org", "TFJob", kTrainingOperator, kKubeflow},
    {"kubeflow.org", "XGBoostJob", kTrainingOperator, kKubeflow},
    {"kubeflow.org", "PaddleJob", kTrainingOperator, kKubeflow},
    {"kubeflow.org", "JAXJob", kTrainingOperator, kKubeflow},
    {"kubeflow.org", "MPIJob", "kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/types.go",
     kKubeflow},
    {"batch.volcano.sh", "Job", "volcano-sh/apis pkg/apis/batch/v1alpha1/job.go", kVolcano,
     "state"},
    {"ray.io", "RayJob", "ray-project/kuberay ray-operator/apis/ray/v1/rayjob_types.go", kRayJob,
     "."},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet",
     "kubernetes-sigs/lws api/leaderworkerset/v1/leaderworkerset_types.go", kLeaderWorkerSet},
    {"kueue.x-k8s.io", "Workload", "kubernetes-sigs/kueue apis/kueue/v1beta1/workload_types.go",
     kWorkload},
};

}  // namespace

std::span<const StatusKind> status_kinds() {
  return kKinds;
}

}  // namespace trainyard
