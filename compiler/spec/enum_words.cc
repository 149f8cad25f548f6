#include "spec/enum_words.h"

#include "spec/cluster.h"
#include "spec/fabric.h"
#include "spec/machine.h"
#include "spec/training_job.h"

/// How the words of the language are written, in the order of their enumerations.
#define TRAINYARD_WORDS(Enum, ...)                           \
  std::span<const std::string_view> words(Enum) {            \
    static constexpr std::string_view all[] = {__VA_ARGS__}; \
    return all;                                              \
  }

namespace trainyard {

TRAINYARD_WORDS(Framework, "pytorch", "tensorflow", "jax", "mpi", "xgboost", "paddle", "ray", "tao",
                "nemo", "none")
TRAINYARD_WORDS(Launcher, "none", "torchrun", "mpirun", "accelerate", "deepspeed")
TRAINYARD_WORDS(MpiImplementation, "OpenMPI", "Intel", "MPICH")
TRAINYARD_WORDS(RendezvousBackend, "static", "c10d")
TRAINYARD_WORDS(GpuSharing, "exclusive", "time-slicing", "mps")
TRAINYARD_WORDS(RoleKind, "chief", "worker", "ps", "evaluator", "launcher", "head", "master")
TRAINYARD_WORDS(RoleState, "started", "ready", "complete")
TRAINYARD_WORDS(RoleEnd, "job", "role")
TRAINYARD_WORDS(RoleRestart, "with-job", "alone")
TRAINYARD_WORDS(GangExtent, "false", "true", "all", "role", "group")
TRAINYARD_WORDS(TopologyMode, "required", "preferred")
TRAINYARD_WORDS(SpotUse, "require", "allow", "forbid")
TRAINYARD_WORDS(SchedulingSystem, "none", "kueue", "volcano", "kai", "coscheduling", "runai",
                "native")
TRAINYARD_WORDS(AccessMode, "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
TRAINYARD_WORDS(ImagePullPolicy, "Always", "IfNotPresent", "Never")
TRAINYARD_WORDS(DataKind, "dataset", "model", "artifact")
TRAINYARD_WORDS(RetryOn, "infrastructure", "any", "never")
TRAINYARD_WORDS(RunaiUsage, "Submit", "Template")
TRAINYARD_WORDS(ServiceType, "ClusterIP", "NodePort", "LoadBalancer")
TRAINYARD_WORDS(UrlAccess, "authenticatedUsers", "authorizedUsers", "authorizedGroups")
TRAINYARD_WORDS(CheckpointSignal, "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2")
TRAINYARD_WORDS(Rerun, "in-place", "new-name", "never")
TRAINYARD_WORDS(SecurityLevel, "restricted", "baseline", "privileged")

TRAINYARD_WORDS(Operator, "trainer", "training-operator", "mpi-operator", "jobset", "volcano",
                "kueue", "kai", "scheduler-plugins", "kuberay", "lws", "runai", "nemo",
                "nim-operator", "gpu-operator", "network-operator", "dra-driver", "hyperpod")
TRAINYARD_WORDS(CapacityKind, "on-demand", "reserved", "spot", "flex-start")
TRAINYARD_WORDS(MigStrategy, "single", "none", "mixed")
TRAINYARD_WORDS(SharingMode, "time-slicing", "mps")
TRAINYARD_WORDS(GpuAllocation, "device-plugin", "dra")
TRAINYARD_WORDS(ServiceMesh, "none", "istio", "linkerd")
TRAINYARD_WORDS(FabricCount, "flag", "per-nic", "per-gpu")
TRAINYARD_WORDS(NetworksFormat, "interfaces", "list")
TRAINYARD_WORDS(SidecarKind, "native", "container")
TRAINYARD_WORDS(QueueSystem, "kueue", "volcano", "kai", "runai")
TRAINYARD_WORDS(PreemptWithinQueue, "Never", "LowerPriority", "LowerOrNewerEqualPriority")
TRAINYARD_WORDS(PreemptInCohort, "Never", "LowerPriority", "Any")
TRAINYARD_WORDS(PreemptionPolicy, "PreemptLowerPriority", "Never")
TRAINYARD_WORDS(PriorityScope, "both", "pods", "workloads")
TRAINYARD_WORDS(RuntimeKind, "ClusterTrainingRuntime", "TrainingRuntime")
TRAINYARD_WORDS(RuntimeFramework, "pytorch", "tensorflow", "jax", "mpi", "xgboost", "deepspeed",
                "none")
TRAINYARD_WORDS(RuntimeGang, "coscheduling", "volcano")
TRAINYARD_WORDS(GkeDeviceMode, "NetDevice", "RDMA", "DPDK-VFIO")
TRAINYARD_WORDS(VolumeLifecycleMode, "Persistent", "Ephemeral")
TRAINYARD_WORDS(GitOpsTool, "argocd", "flux")
TRAINYARD_WORDS(GitOpsGate, "started", "finished")
TRAINYARD_WORDS(PolicyScope, "specs", "objects")
TRAINYARD_WORDS(PolicySeverity, "error", "warning")

TRAINYARD_WORDS(Architecture, "amd64", "arm64")

}  // namespace trainyard
