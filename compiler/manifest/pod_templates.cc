#include "manifest/pod_templates.h"

namespace trainyard {
namespace {

constexpr std::uint16_t kKubeflow = kSetsRestartPolicy;
constexpr std::string_view kKubeflowSource =
    "kubeflow/training-operator pkg/controller.v1/common/pod.go: the replica's restartPolicy wins";
constexpr std::uint16_t kRay = kSetsRestartPolicy;
constexpr std::string_view kRayVolumes = "shared-mem ray-logs ray-token";
constexpr std::string_view kRaySource =
    "ray-project/kuberay ray-operator/controllers/ray/common/pod.go: volumes for shared memory and "
    "logs, restart policies of its own";
constexpr std::uint16_t kRuntime = kIsPatch;
constexpr std::string_view kRuntimeSource =
    "kubeflow/trainer pkg/runtime/framework/plugins: a TrainJob brings the image and may patch in "
    "volumes; the JobSet webhook sets a restart policy";
constexpr std::string_view kLeaderWorkerSource =
    "kubernetes-sigs/lws pkg/controllers: both become templates of a StatefulSet";

constexpr PodPlace kPlaces[] = {
    {"", "Pod", "", kIsPod},
    {"", "PodTemplate", "template"},
    {"", "ReplicationController", "spec.template", kRunsForever},
    {"apps", "Deployment", "spec.template", kRunsForever},
    {"apps", "ReplicaSet", "spec.template", kRunsForever},
    {"apps", "DaemonSet", "spec.template", kRunsForever},
    {"apps", "StatefulSet", "spec.template", kRunsForever | kSetsHostname,
     "spec.volumeClaimTemplates[].metadata.name",
     "kubernetes/kubernetes pkg/controller/statefulset/stateful_set_utils.go"},
    {"batch", "Job", "spec.template"},
    {"batch", "CronJob", "spec.jobTemplate.spec.template"},

    {"kubeflow.org",
     "PyTorchJob",
     "spec.pytorchReplicaSpecs.*.template",
     kKubeflow,
     {},
     kKubeflowSource},
    {"kubeflow.org", "TFJob", "spec.tfReplicaSpecs.*.template", kKubeflow, {}, kKubeflowSource},
    {"kubeflow.org",
     "XGBoostJob",
     "spec.xgbReplicaSpecs.*.template",
     kKubeflow,
     {},
     kKubeflowSource},
    {"kubeflow.org",
     "PaddleJob",
     "spec.paddleReplicaSpecs.*.template",
     kKubeflow,
     {},
     kKubeflowSource},
    {"kubeflow.org", "JAXJob", "spec.jaxReplicaSpecs.*.template", kKubeflow, {}, kKubeflowSource},
    {"kubeflow.org",
     "MPIJob",
     "spec.mpiReplicaSpecs.*.template",
     kKubeflow | kSetsHostname,
     {},
     "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go: hostname, subdomain, restart "
     "policy and the volumes with keys and hosts",
     "ssh-auth ssh-home mpi-job-config mpi-job-kubectl"},

    {"trainer.kubeflow.org",
     "TrainingRuntime",
     "spec.template.spec.replicatedJobs[].template.spec.template",
     kRuntime,
     {},
     kRuntimeSource},
    {"trainer.kubeflow.org",
     "ClusterTrainingRuntime",
     "spec.template.spec.replicatedJobs[].template.spec.template",
     kRuntime,
     {},
     kRuntimeSource},
    {"trainer.kubeflow.org",
     "TrainJob",
     "spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec."
     "template",
     kIsPatch,
     {},
     kRuntimeSource},
    {"trainer.kubeflow.org",
     "TrainJob",
     "spec.podTemplateOverrides[]",
     kIsPatch,
     {},
     kRuntimeSource},

    {"jobset.x-k8s.io", "JobSet", "spec.replicatedJobs[].template.spec.template",
     kSetsRestartPolicy | kSetsHostname, "spec.volumeClaimPolicies[].templates[].metadata.name",
     "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go: OnFailure where none is given"},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "spec.leaderWorkerTemplate.leaderTemplate",
     kRunsForever | kSetsHostname, "spec.leaderWorkerTemplate.volumeClaimTemplates[].metadata.name",
     kLeaderWorkerSource},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "spec.leaderWorkerTemplate.workerTemplate",
     kRunsForever | kSetsHostname, "spec.leaderWorkerTemplate.volumeClaimTemplates[].metadata.name",
     kLeaderWorkerSource},
    {"disaggregatedset.x-k8s.io",
     "DisaggregatedSet",
     "spec.roles[].spec.leaderWorkerTemplate.leaderTemplate",
     kRunsForever | kSetsHostname | kAddsVolumes,
     {},
     kLeaderWorkerSource},
    {"disaggregatedset.x-k8s.io",
     "DisaggregatedSet",
     "spec.roles[].spec.leaderWorkerTemplate.workerTemplate",
     kRunsForever | kSetsHostname | kAddsVolumes,
     {},
     kLeaderWorkerSource},

    {"batch.volcano.sh", "Job", "spec.tasks[].template", kSetsHostname},
    {"batch.volcano.sh", "CronJob", "spec.jobTemplate.spec.tasks[].template", kSetsHostname},
    {"flow.volcano.sh", "JobTemplate", "spec.tasks[].template", kSetsHostname},
    {"flow.volcano.sh",
     "JobFlow",
     "spec.flows[].patch.jobSpec.tasks[].template",
     kIsPatch,
     {},
     "volcano-sh/volcano pkg/controllers/jobflow: merged into a JobTemplate"},

    {"ray.io", "RayCluster", "spec.headGroupSpec.template", kRay, {}, kRaySource, kRayVolumes},
    {"ray.io", "RayCluster", "spec.workerGroupSpecs[].template", kRay, {}, kRaySource, kRayVolumes},
    {"ray.io",
     "RayJob",
     "spec.rayClusterSpec.headGroupSpec.template",
     kRay,
     {},
     kRaySource,
     kRayVolumes},
    {"ray.io",
     "RayJob",
     "spec.rayClusterSpec.workerGroupSpecs[].template",
     kRay,
     {},
     kRaySource,
     kRayVolumes},
    {"ray.io",
     "RayJob",
     "spec.submitterPodTemplate",
     kRay | kAddsImages,
     {},
     kRaySource,
     kRayVolumes},
    {"ray.io",
     "RayCronJob",
     "spec.jobTemplate.rayClusterSpec.headGroupSpec.template",
     kRay,
     {},
     kRaySource,
     kRayVolumes},
    {"ray.io",
     "RayCronJob",
     "spec.jobTemplate.rayClusterSpec.workerGroupSpecs[].template",
     kRay,
     {},
     kRaySource,
     kRayVolumes},
    {"ray.io",
     "RayCronJob",
     "spec.jobTemplate.submitterPodTemplate",
     kRay | kAddsImages,
     {},
     kRaySource,
     kRayVolumes},
    {"ray.io",
     "RayService",
     "spec.rayClusterConfig.headGroupSpec.template",
     kRay,
     {},
     kRaySource,
     kRayVolumes},
    {"ray.io",
     "RayService",
     "spec.rayClusterConfig.workerGroupSpecs[].template",
     kRay,
     {},
     kRaySource,
     kRayVolumes},
};

constexpr NoPodPlace kNoPlaces[] = {
    {"kueue.x-k8s.io", "Workload",
     "a copy that Kueue counts resources on; the pods are made from the job it stands for"},
};

}  // namespace

std::span<const PodPlace> pod_places() {
  return kPlaces;
}

std::span<const NoPodPlace> no_pod_places() {
  return kNoPlaces;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : api_version.substr(0, slash);
}

}  // namespace trainyard
