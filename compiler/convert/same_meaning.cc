#include "convert/same_meaning.h"

#include <algorithm>
#include <array>

#include "tree/quantity.h"

namespace trainyard {
namespace {

constexpr std::string_view kAny = "*";
constexpr std::string_view kNone = "-";  // no value

/// Two values that mean the same. In `before` and `after`, `-` is none, `*` is any or none, and
/// others are patterns.
struct SameRow {
  std::string_view path;
  std::string_view before;
  std::string_view after;
  std::string_view because;
  std::string_view kind = {};  // the only one; "" for all
};

constexpr std::string_view kOurLabels = "a build labels the objects of its job";
constexpr std::string_view kControllers =
    "the controller writes it; variables that are made of it are compared themselves";
constexpr std::string_view kRanks =
    "a build tells every program where its rank is, and one that does not ask runs as before";
constexpr std::string_view kHardened = "docs/convert.md, what a build adds";
constexpr std::string_view kCounted = "pods are counted and compared by rank";
constexpr std::string_view kFiles = "a build names a ConfigMap by its content";
constexpr std::string_view kReached =
    "version 1 of the operator reaches workers by `kubectl exec`, version 2 by ssh, and what the "
    "workers run is compared";
constexpr std::string_view kAddresses = "programs get addresses, which are compared";

constexpr auto kSame = std::to_array<SameRow>({
    {"labels[app.kubernetes.io/*", kAny, kAny, kOurLabels},
    {"labels[trainyard/*", kAny, kAny, kOurLabels},
    {"annotations[trainyard/*", kAny, kAny, kOurLabels},
    {"annotations[kubectl.kubernetes.io/*", kAny, kAny, kOurLabels},
    {"labels[jobset.sigs.k8s.io/*", kAny, kAny, kControllers},
    {"labels[batch.kubernetes.io/*", kAny, kAny, kControllers},
    {"labels[job-name]", kAny, kAny, kControllers},
    {"labels[controller-uid]", kAny, kAny, kControllers},
    {"labels[training.kubeflow.org/*", kAny, kAny, kControllers},
    {"labels[trainer.kubeflow.org/*", kAny, kAny, kControllers},
    {"labels[volcano.sh/job-*", kAny, kAny, kControllers},
    {"labels[volcano.sh/task-*", kAny, kAny, kControllers},
    {"labels[leaderworkerset.sigs.k8s.io/*", kAny, kAny, kControllers},
    {"labels[torchx.pytorch.org/replica-id]", kAny, kNone, kControllers},
    {"env[TORCHX_RANK0_HOST]", kAny, kNone, "it names rank 0, which is compared"},
    {"labels[ray.io/*", kAny, kAny, kControllers},
    {"annotations[jobset.sigs.k8s.io/*", kAny, kAny, kControllers},
    {"annotations[batch.kubernetes.io/*", kAny, kAny, kControllers},
    {"annotations[volcano.sh/*", kAny, kAny, kControllers},
    {"annotations[leaderworkerset.sigs.k8s.io/*", kAny, kAny, kControllers},
    {"annotations[scheduling.k8s.io/group-name]", kAny, kAny, kControllers},
    {"affinity*job-key*", kAny, kAny, kControllers},
    {"program.before", kNone, "export DMLC_TASK_ID=*", kRanks},
    {"program.before", kNone, "export NODE_RANK=*", kRanks},
    {"program.before", kNone, "left=300*", "a build waits until rank 0 has an address"},
    {"program.before", kNone, "end=$(($(date*", "a build waits until the hosts run sshd"},
    {"initContainers[init-pytorch].*", kAny, kAny, "the operator lets workers wait for rank 0"},
    {"env[KUBERAY_GEN_RAY_START_CMD]", kAny, kAny, "the command itself is compared"},
    {"env[RAY_NODE_TYPE_NAME]", kAny, kAny, kControllers},
    {"env[RAY_CLUSTER_NAME]", kAny, kAny, kControllers},
    {"env[VK_TASK_INDEX]", kAny, kAny, kControllers},
    {"env[VC_TASK_INDEX]", kAny, kAny, kControllers},
    {"mounts[/etc/volcano]*", kAny, kAny, "lists of hosts, which a build makes Volcano write"},
    {"spec.replicatedJobs*exclusive-topology*", kAny, kAny, "it stands in the pods"},
    {"spec.successPolicy.targetReplicatedJobs*", kAny, kAny, "others are reported by name"},
    {"spec.runPolicy.backoffLimit", "0", kNone, "no pod starts again either way", "PyTorchJob"},
    {"spec.runPolicy.backoffLimit", "0", kNone, "no pod starts again either way", "TFJob"},
    {"spec.runPolicy.backoffLimit", "0", kNone, "no pod starts again either way", "XGBoostJob"},
    {"spec.runPolicy.backoffLimit", "0", kNone, "no pod starts again either way", "PaddleJob"},
    {"spec.runPolicy.backoffLimit", "0", kNone, "no pod starts again either way", "JAXJob"},
    {"env[K_MPI_JOB_ROLE]", kAny, kAny, kControllers},
    {"initContainers[kubectl-delivery].*", kAny, kNone, kReached, "MPIJob"},
    {"mounts[/opt/kube]*", kAny, kNone, kReached, "MPIJob"},
    {"mounts[/etc/mpi]*", kAny, kAny, kReached, "MPIJob"},
    {"mounts[/root/.ssh]*", kNone, kAny, kReached, "MPIJob"},
    {"env[OMPI_MCA_plm_rsh_agent]", "/etc/mpi/*", kNone, kReached, "MPIJob"},
    {"env[I_MPI_HYDRA_BOOTSTRAP*", kAny, kNone, kReached, "MPIJob"},
    {"serviceAccountName", "<launcher 0>", kNone, kReached, "MPIJob"},
    {"dnsConfig.searches*", kNone, kAny, "ranks find each other by their bare names", "MPIJob"},
    {"restartPolicy", "Never", "OnFailure", "of a worker, whose sshd does not end", "MPIJob"},
    {"program", kAny, "*--num-cpus=0*", "reported at the start parameters of the head", "RayJob"},
    {"spec.rolloutStrategy.*", kAny, kAny, "a job that trains is not rolled out"},
    {"spec.leaderWorkerTemplate.restartPolicy", kNone, "RecreateGroupOnPodRestart", "the default"},
    {"*suspend", "true", kNone, "a queue suspends its jobs; without one the spec says it"},
    {"env[MPI_HOST]", kNone, kAny, kRanks},
    {"env[LWS_*", kAny, kAny, kControllers},
    {"env[RAY_CLOUD_INSTANCE_ID]", kAny, kAny, kControllers},
    {"env[RAY_IP]", kAny, kAny, kAddresses},
    {"env[RAY_ADDRESS]", kAny, kAny, kAddresses},
    {"env[FQ_RAY_IP]", kAny, kAny, kAddresses},
    {"initContainers[wait-gcs-ready].*", kAny, kAny, "KubeRay lets workers wait for the head"},
    {"restartPolicy", kAny, "Never", "KubeRay makes a pod that failed again", "RayJob"},
    {"spec.replicaSpecs[*", kAny, kAny, "the pods are compared; what else it has is reported",
     "HyperPodPyTorchJob"},
    {"mounts[/opt/ml/input/config]*", kNone, kAny, "the files of its agent", "HyperPodPyTorchJob"},
    {"restartPolicy", kNone, "Never", "its agent and its operator start again",
     "HyperPodPyTorchJob"},
    {"labels[kueue.x-k8s.io/*", kAny, kNone, "Kueue reads those of the job", "HyperPodPyTorchJob"},
    {"labels[apps.kubernetes.io/pod-index]", kAny, kAny, kControllers},
    {"schedulingGroup.podGroupName", kAny, kAny, "the group of the job, which a build makes"},
    {"restartPolicy", "OnFailure", "Never", "its Job replaces a pod that failed, as often",
     "MPIJob"},
    {"*schedulingPolicy.minAvailable", kNone, kAny,
     "it counts only where the operator makes gangs"},
    {"*rayStartParams.*", kAny, kAny, "what Ray is started with stands in the command of the pods"},
    {"*failurePolicy.restartStrategy", kNone, "BlockingRecreate",
     "either way all Jobs start again"},
    {"spec.minAvailable", kNone, kAny, "all pods, which is the default", "Job"},
    {"spec.tasks*minAvailable", kAny, kAny, "all pods, which is the default"},
    {"spec.tasks*replicas", kAny, kAny, kCounted},
    {"hostname", kAny, kAny, kAddresses},
    {"subdomain", kAny, kAny, kAddresses},
    {"ports[*", kNone, "", "a port that is written down opens nothing"},
    {"ports[*", "", kNone, "a port that is written down opens nothing"},
    {"ports[*", "", "", "names of ports are for Services, which a build makes"},
    {"*mounts[*.configMap.name", kAny, kAny, kFiles},
    {"*mounts[*.configMap.items*", kAny, kAny, kFiles},
    {"*mounts[*.configMap.defaultMode", kNone, "420", "the default"},
    {"*mounts[*.configMap.defaultMode", "420", kNone, "the default"},
    {"*mounts[*.secret.defaultMode", "420", kNone, "the default"},
    {"env[MASTER_ADDR]", kNone, kAny, kRanks},
    {"env[MASTER_PORT]", kNone, kAny, kRanks},
    {"env[NNODES]", kNone, kAny, kRanks},
    {"env[NPROC_PER_NODE]", kNone, kAny, kRanks},
    {"env[NODE_RANK]", kNone, kAny, kRanks},
    {"env[WORLD_SIZE]", kNone, kAny, kRanks},
    {"env[RANK]", kNone, kAny, kRanks},
    {"env[LOCAL_RANK]", kNone, kAny, kRanks},
    {"env[PET_*", kNone, kAny, kRanks},
    {"env[TORCH_DISABLE_SHARE_RDZV_TCP_STORE]", kNone, kAny, kRanks},
    {"env[JAX_*", kNone, kAny, kRanks},
    {"env[DMLC_*", kNone, kAny, kRanks},
    {"env[PADDLE_*", kNone, kAny, kRanks},
    {"env[TF_CONFIG]", kNone, kAny, kRanks},
    {"env[TASK_INDEX]", kNone, kAny, kRanks},
    {"env[NODE_IP]", kNone, kAny, kRanks},
    {"env[NUM_GPU_PER_NODE]", kNone, kAny, kRanks},
    {"env[OMPI_MCA_*", kNone, kAny, kRanks},
    {"env[PRTE_MCA_*", kNone, kAny, kRanks},
    {"env[I_MPI_*", kNone, kAny, kRanks},
    {"env[HYDRA_*", kNone, kAny, kRanks},
    {"*env[VC_*", kAny, kAny, kControllers},
    {"env[JOBSET_RESTART_ATTEMPT]", kNone, kAny, kControllers},
    {"*automountServiceAccountToken", kNone, "false", kHardened},
    {"enableServiceLinks", kNone, "false", kHardened},
    {"*securityContext.seccompProfile.type", kNone, "RuntimeDefault", kHardened},
    {"*podFailurePolicy*\"Ignore\"*DisruptionTarget*", kNone, kAny, kHardened},
    {"*cleanPodPolicy", kNone, "Running", kHardened},
    {"spec.cleanPodPolicy", "Running", kNone, "`runPolicy` has it"},
    {"*ReplicaSpecs.*.replicas", kAny, kAny, kCounted},
    {"*completionMode", kNone, "Indexed", "an index without a reader changes nothing"},
    {"*ReplicaSpecs.*.restartPolicy", kAny, kAny, "it stands in the pods"},
    {"spec.schedulerName", kAny, kAny, "it stands in the pods"},
    {"*launcherCreationPolicy", kAny, kAny, "mpirun waits for the workers either way"},
    {"spec.sshAuthMountPath", kAny, kAny, "the keys lie where the user of the pods looks for them"},
    {"spec.submissionMode", kNone, kAny, "who hands over the entrypoint"},
    {"*workerGroupSpecs*minReplicas", kAny, kAny, "nothing scales without autoscaling"},
    {"*workerGroupSpecs*maxReplicas", kAny, kAny, "nothing scales without autoscaling"},
    {"spec.plugins.*", kAny, kAny, "what a plugin gives to pods stands in the pods"},
    {"*dependsOn*", kAny, kAny, "ranks wait for each other either way"},
    {"spec.startupPolicy.*", kAny, kAny, "ranks wait for each other either way"},
    {"spec.network.*", kAny, kAny, kAddresses},
    {"spec.volumeClaimPolicies*", kAny, kAny, "a patch has them, and the server their defaults"},
    {"spec.coordinator.*", kAny, kAny, "programs get the address of rank 0, which is compared"},
    {"spec.selector*", kAny, kAny, "the server gives it to a Job, and a build to its Service"},
    {"*elasticPolicy.rdzvId", kAny, kAny, "it tells jobs apart"},
    {"spec.nprocPerNode", kAny, kAny, "the processes that start are compared"},
    {"spec.slotsPerWorker", kAny, kAny, "the processes that start are compared"},
    {"*imagePullPolicy", "IfNotPresent", kNone, "the default of a tag"},
    {"spec.managedBy", kAny, kAny, "who acts for the controller"},
    {"spec.ports*", kAny, kAny, "a headless Service opens no port: its names lead to the pods",
     "Service"},
    {"spec.publishNotReadyAddresses", kNone, "true", "names of pods are known earlier", "Service"},
    {"spec.publishNotReadyAddresses", "false", "true", "names of pods are known earlier",
     "Service"},
});

/// What the API server or a controller takes for a value that is not there.
struct DefaultRow {
  std::string_view path;
  std::string_view value;
  std::string_view kind = {};
};

constexpr auto kDefaults = std::to_array<DefaultRow>({
    // Pods: kubernetes/kubernetes pkg/apis/core/v1/defaults.go
    {"dnsPolicy", "ClusterFirst"},
    {"schedulerName", "default-scheduler"},
    {"terminationGracePeriodSeconds", "30"},
    {"restartPolicy", "Always"},
    {"serviceAccountName", "default"},
    {"enableServiceLinks", "true"},
    {"automountServiceAccountToken", "true"},
    {"preemptionPolicy", "PreemptLowerPriority"},
    {"hostNetwork", "false"},
    {"hostPID", "false"},
    {"hostIPC", "false"},
    {"*terminationMessagePath", "/dev/termination-log"},
    {"*terminationMessagePolicy", "File"},
    {"*stdin", "false"},
    {"*tty", "false"},
    {"*securityContext.privileged", "false"},
    {"*mounts[*.readOnly", "false"},
    {"*securityContext.readOnlyRootFilesystem", "false"},
    {"*Probe.timeoutSeconds", "1"},
    {"*Probe.periodSeconds", "10"},
    {"*Probe.successThreshold", "1"},
    {"*Probe.failureThreshold", "3"},
    // Job: pkg/apis/batch/v1/defaults.go
    {"spec.backoffLimit", "0", "RayJob"},
    {"spec.backoffLimit", "6", "Job"},
    {"spec.runPolicy.backoffLimit", "6", "MPIJob"},
    {"spec.replicatedJobs*backoffLimit", "6"},
    {"spec.replicatedJobs*completionMode", "Indexed"},
    {"*parallelism", "1"},
    {"*completions", "1"},
    {"*suspend", "false"},
    {"*manualSelector", "false"},
    // kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go
    {"*.replicas", "1"},
    {"spec.failurePolicy.maxRestarts", "0"},
    {"spec.failurePolicy.restartStrategy", "Recreate"},
    {"spec.successPolicy.operator", "All"},
    // kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/default.go
    {"spec.mpiImplementation", "OpenMPI"},
    {"spec.runLauncherAsWorker", "false"},
    // volcano-sh/volcano pkg/webhooks/admission/jobs/mutate
    {"spec.queue", "default"},
    {"spec.maxRetry", "3"},
    {"spec.tasks*maxRetry", "3"},
    // ray-project/kuberay ray-operator/apis/ray/v1
    {"*enableInTreeAutoscaling", "false"},
    {"spec.shutdownAfterJobFinishes", "false"},
    {"spec.ttlSecondsAfterFinished", "0"},
    {"*numOfHosts", "1"},
    // Claims and Services: pkg/apis/core/v1/defaults.go
    {"spec.type", "ClusterIP", "Service"},
    {"spec.sessionAffinity", "None", "Service"},
    {"spec.internalTrafficPolicy", "Cluster", "Service"},
    {"spec.volumeMode", "Filesystem", "PersistentVolumeClaim"},
});

/// What belongs together, and how to keep it.
struct CauseRow {
  std::string_view path;
  std::string_view name;
  std::string_view advice;
};

constexpr std::string_view kMeeting =
    "set `nodes`, `processesPerNode` and `run.rendezvous`, which decide how ranks meet";
constexpr std::string_view kRetrying =
    "set `lifecycle.retries` and `lifecycle.retryOn`, which count starts of the whole job";

constexpr auto kPodCauses = std::to_array<CauseRow>({
    {"launch*", "launch", kMeeting},
    {"env[PET_*", "launch", kMeeting},
    {"env[JOB_COMPLETION_INDEX]", "program", "let the program take its rank from `NODE_RANK`"},
    {"program*", "program", "write the line in `run.command` or `run.shell` of the role"},
    {"restartPolicy", "retries", kRetrying},
    {"mounts[/dev/shm]*", "shared memory",
     "set `resources.sharedMemory`, or mount it in `storage`"},
    {"mounts[*", "", "mount it in `storage`, of the role that has it"},
    {"resources.*", "resources", "set `resources` and `gpusPerNode` of the role"},
    {"*securityContext.*", "security", "set `security.level`, or the field in `security`"},
    {"env[*", "", "set it in `env`, or leave it out of the spec where a build computes it"},
    {"readinessProbe*", "readiness probe", "write it in `pod`"},
    {"livenessProbe*", "liveness probe", "write it in `pod`"},
    {"affinity*", "affinity", "set `placement.affinity` or `placement.onePodPerNode`"},
    {"topologySpreadConstraints*", "spread", "set `placement.topologySpreadConstraints`"},
    {"tolerations*", "tolerations", "set `placement.tolerations`"},
    {"nodeSelector*", "", "set `placement.nodeSelector`"},
});

constexpr auto kJobCauses = std::to_array<CauseRow>({
    {"spec.elasticPolicy*", "elastic policy", "set `elastic` and `run.rendezvous`"},
    {"*backoffLimit", "retries", kRetrying},
    {"*maxRestarts", "retries", kRetrying},
    {"spec.maxRetry", "retries", kRetrying},
    {"*podFailurePolicy*", "retries", kRetrying},
    {"*failurePolicy*", "retries", kRetrying},
    {"spec.policies*", "retries", kRetrying},
    {"*.policies*", "policies", "set the policy in `patches`, or make its role the one that ends"},
    {"*replicas", "groups",
     "set it in `patches`, or let the program take its rank from `NODE_RANK`"},
    {"*parallelism", "groups",
     "set it in `patches`, or let the program take its rank from `NODE_RANK`"},
    {"*completions", "groups",
     "set it in `patches`, or let the program take its rank from `NODE_RANK`"},
    {"*inAvailable", "gang", "set `scheduling.gang`"},
    {"*ttlSecondsAfterFinished", "", "set `lifecycle.ttl`"},
    {"*activeDeadlineSeconds", "", "set `lifecycle.deadline`"},
});

bool is(std::string_view pattern, std::string_view value, bool there) {
  if (pattern == kAny) return true;
  if (pattern == kNone) return !there;
  return there && fits(pattern, value);
}

/// One amount, written in two ways.
bool same_text(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto x = Quantity::parse(a);
  const auto y = Quantity::parse(b);
  return x && y && *x == *y;
}

}  // namespace

bool fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = pattern.npos;
  std::size_t kept = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      kept = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++kept;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view same_because(const ValueChange& change) {
  if (change.was_there && change.is_there && same_text(change.before, change.after)) {
    return "one value, written in two ways";
  }
  if (change.was_there != change.is_there) {
    const std::string_view value = change.was_there ? change.before : change.after;
    const bool is_default = std::ranges::any_of(kDefaults, [&](const DefaultRow& each) {
      return (each.kind.empty() || each.kind == change.kind) && each.value == value &&
             fits(each.path, change.path);
    });
    if (is_default) return "the default";
  }
  const auto found = std::ranges::find_if(kSame, [&](const SameRow& each) {
    return (each.kind.empty() || each.kind == change.kind) &&
           is(each.before, change.before, change.was_there) &&
           is(each.after, change.after, change.is_there) && fits(each.path, change.path);
  });
  return found == kSame.end() ? std::string_view() : found->because;
}

ChangeCause cause_of(std::string_view path, bool of_pod) {
  const auto find = [path](const auto& table) -> ChangeCause {
    for (const CauseRow& each : table) {
      if (fits(each.path, path)) return {each.name, each.advice};
    }
    return {};
  };
  ChangeCause cause = of_pod ? find(kPodCauses) : find(kJobCauses);
  if (cause.advice.empty()) {
    cause.advice = of_pod ? "write it in `pod` of the spec, or of the role that has it"
                          : "set it in `patches` of the spec";
  }
  return cause;
}

}  // namespace trainyard
