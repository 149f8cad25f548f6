#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "spec/located.h"
#include "spec/training_job.h"
#include "tree/tree.h"

/// A Cluster as it was written. What each field means, its unit and its default are in
/// schemas/trainyard/v1alpha1/Cluster.yaml. Where a word has a fixed default, it is the first of
/// its enumeration.
namespace trainyard {

enum class Operator : std::uint8_t {
  Trainer,
  TrainingOperator,
  MpiOperator,
  Jobset,
  Volcano,
  Kueue,
  Kai,
  SchedulerPlugins,
  Kuberay,
  Lws,
  Runai,
  Nemo,
  NimOperator,
  GpuOperator,
  NetworkOperator,
  DraDriver,
  Hyperpod,
};
enum class CapacityKind : std::uint8_t { OnDemand, Reserved, Spot, FlexStart };
enum class MigStrategy : std::uint8_t { Single, None, Mixed };
enum class SharingMode : std::uint8_t { TimeSlicing, Mps };
enum class GpuAllocation : std::uint8_t { DevicePlugin, Dra };
enum class ServiceMesh : std::uint8_t { None, Istio, Linkerd };
/// How many of a fabric's resource a pod on a whole node requests.
enum class FabricCount : std::uint8_t { One, PerNic, PerGpu };
enum class SidecarKind : std::uint8_t { Native, Container };
enum class QueueSystem : std::uint8_t { Kueue, Volcano, Kai, Runai };
/// Whom the jobs of a queue of Kueue may push out.
enum class PreemptWithinQueue : std::uint8_t { Never, LowerPriority, LowerOrNewerEqualPriority };
enum class PreemptInCohort : std::uint8_t { Never, LowerPriority, Any };
enum class PreemptionPolicy : std::uint8_t { PreemptLowerPriority, Never };
enum class PriorityScope : std::uint8_t { Both, Pods, Workloads };
enum class RuntimeKind : std::uint8_t { ClusterTrainingRuntime, TrainingRuntime };
enum class RuntimeFramework : std::uint8_t {
  Pytorch,
  Tensorflow,
  Jax,
  Mpi,
  Xgboost,
  Deepspeed,
  None,
};
enum class RuntimeGang : std::uint8_t { Coscheduling, Volcano };
enum class GkeDeviceMode : std::uint8_t { NetDevice, Rdma, DpdkVfio };
enum class VolumeLifecycleMode : std::uint8_t { Persistent, Ephemeral };
enum class GitOpsTool : std::uint8_t { ArgoCd, Flux };
enum class GitOpsGate : std::uint8_t { Started, Finished };
enum class PolicyScope : std::uint8_t { Specs, Objects };
enum class PolicySeverity : std::uint8_t { Error, Warning };

std::span<const std::string_view> words(Operator);
std::span<const std::string_view> words(CapacityKind);
std::span<const std::string_view> words(MigStrategy);
std::span<const std::string_view> words(SharingMode);
std::span<const std::string_view> words(GpuAllocation);
std::span<const std::string_view> words(ServiceMesh);
std::span<const std::string_view> words(FabricCount);
std::span<const std::string_view> words(SidecarKind);
std::span<const std::string_view> words(QueueSystem);
std::span<const std::string_view> words(PreemptWithinQueue);
std::span<const std::string_view> words(PreemptInCohort);
std::span<const std::string_view> words(PreemptionPolicy);
std::span<const std::string_view> words(PriorityScope);
std::span<const std::string_view> words(RuntimeKind);
std::span<const std::string_view> words(RuntimeFramework);
std::span<const std::string_view> words(RuntimeGang);
std::span<const std::string_view> words(GkeDeviceMode);
std::span<const std::string_view> words(VolumeLifecycleMode);
std::span<const std::string_view> words(GitOpsTool);
std::span<const std::string_view> words(GitOpsGate);
std::span<const std::string_view> words(PolicyScope);
std::span<const std::string_view> words(PolicySeverity);

struct DefaultSecurity {
  Located<SecurityLevel> level;
};

struct DefaultScheduling {
  Located<SchedulingSystem> system;
  Text queue;
  Text priority;
  Text scheduler_name;
};

/// What a TrainingJob gets that does not say otherwise.
struct Defaults {
  Text target;
  Text ns;
  Located<DefaultScheduling> scheduling;
  Text storage_class_name;
  Text service_account;
  Located<ImagePullPolicy> image_pull_policy;
  Shape image_pull_secrets;  // list of core/v1 LocalObjectReference
  Located<DefaultSecurity> security;
  TextMap env;
  Located<RayRequest> ray;
};

struct Sharing {
  Located<SharingMode> mode;
  Integer replicas;
  Flag rename_by_default;
  Flag fail_requests_greater_than_one;
};

struct PoolGpu {
  Text product;
  Integer count;
  QuantityText memory;
  IntegerMap mig;  // slices per node by profile
  Located<MigStrategy> mig_strategy;
  Located<Sharing> sharing;
  Located<GpuAllocation> allocation;
};

struct PoolNetwork {
  Text fabric;
  IntegerMap resources;  // devices that a pod on a whole node requests
  TextList networks;
};

/// One level by which nodes are grouped.
struct TopologyLevel {
  Text name;
  Text node_label;
  Integer nodes;  // in one domain
  Integer tier;   // of the HyperNodes that Volcano has for it
};
/// One domain of a level, such as a rack.
struct TopologyDomain {
  Text level;
  Text name;    // the value of the node label
  Text within;  // the domain of the level above
};
using TopologyLevels = Located<std::vector<Located<TopologyLevel>>>;

struct Pool {
  Text name;
  Text machine;
  Integer count;
  TextMap labels;
  Shape taints;  // list of core/v1 Taint
  Text zone;
  TopologyLevels topology;  // widest first
  Located<std::vector<Located<TopologyDomain>>> domains;
  Located<CapacityKind> capacity;
  Text reservation;
  Located<PoolGpu> gpu;
  TextMap allocatable;  // quantities by resource name
  Located<PoolNetwork> network;
};

struct ClusterGpu {
  Text resource;
  Located<MigStrategy> mig_strategy;
  Located<Sharing> sharing;
  Flag cdi;
  Text runtime_class;
  Located<GpuAllocation> allocation;
  Text ns;
};

struct FabricSettings {
  Text version;
  Text resource;
  Located<FabricCount> count;
  TextList networks;
  Flag host_network;
  Located<SidecarKind> sidecar;
  Flag claims;
  QuantityText huge_pages;
  TextMap env;
};

struct GkeNetwork {
  Text name;
  Text vpc;
  Text subnet;
  Located<GkeDeviceMode> device_mode;
  Flag existing;
};

struct ClusterNetwork {
  Located<Map<FabricSettings>> fabrics;  // by fabric
  Located<std::vector<Located<GkeNetwork>>> gke_networks;
  Text interface;
  Text cluster_domain;
  Located<ServiceMesh> service_mesh;
  TextList dns_addresses;
};

struct QueuePreemption {
  Located<PreemptWithinQueue> within_queue;
  Located<PreemptInCohort> reclaim;
};

struct Queue {
  Text name;
  Located<QueueSystem> system;
  TextList namespaces;
  Text cluster_queue;
  Text parent;
  TextList pools;
  TextMap quota;  // quantities by resource name
  TextMap limit;  // quantities by resource name
  Integer weight;
  Located<QueuePreemption> preemption;
  Flag existing;
};

struct PriorityClass {
  Text name;
  Integer value;
  Located<PreemptionPolicy> preemption_policy;
  Flag global_default;
  Text description;
  Located<PriorityScope> applies_to;
  Flag existing;
};

struct RuntimeMpi {
  Text ssh_auth_mount_path;
  Integer run_as_user;
  Text sshd_config;
  Integer ssh_port;
};

struct Runtime {
  Text name;
  Located<RuntimeKind> kind;
  Text ns;
  Located<RuntimeFramework> framework;
  Text image;
  Located<RuntimeMpi> mpi;
  Located<RuntimeGang> gang;
  Flag existing;
};

struct StorageClass {
  Text name;
  Located<std::vector<Located<AccessMode>>> access_modes;
  Flag is_default;
};

struct CsiDriver {
  Text name;
  Located<std::vector<Located<VolumeLifecycleMode>>> volume_lifecycle_modes;
};

struct Claim {
  Text name;
  Text ns;
  Located<std::vector<Located<AccessMode>>> access_modes;
};

struct NamespaceInfo {
  Text name;
  Located<SecurityLevel> pod_security;
  TextMap quota;  // quantities by resource name
  Flag existing;
};

struct GitOps {
  Located<GitOpsTool> tool;
  Text ns;
  Text project;
  Text repository;
  Text revision;
  Text path;
  Text server;
  Flag prune;
  Located<GitOpsGate> gate;
  Duration gate_timeout;
};

struct Policy {
  Text name;
  Text schema;  // a path relative to the document
  Located<PolicyScope> applies_to;
  TextList kinds;
  Text message;
  Located<PolicySeverity> severity;
};

struct ClusterData {
  TextMap images;  // by scheme
};

/// What moves entities of NeMo between a store and the claim of a job.
struct EntityHandler {
  Text name;
  Text ns;
  Text image;
  Text pull_secret;
  TextList command;
  TextList args;
  Shape env;  // list of core/v1 EnvVar
  QuantityText cpu;
  QuantityText memory;
  Flag existing;
};

/// The service that makes NemoTrainingJobs.
struct Customizer {
  Text name;
  Text ns;
  Shape spec;  // of a NemoCustomizer
};

struct NemoPlatform {
  Located<std::vector<Located<EntityHandler>>> handlers;
  Located<Customizer> customizer;
};

/// The API server that a Cluster is about.
struct ClusterApi {
  Text context;  // of a kubeconfig
  Text server;
};

struct ClusterSpec {
  Text kubernetes;
  Located<ClusterApi> api;
  TextMap operators;  // versions; the keys are words(Operator{})
  Located<Defaults> defaults;
  Located<std::vector<Located<Pool>>> pools;
  Located<ClusterGpu> gpu;
  Located<ClusterNetwork> network;
  Located<ClusterData> data;
  Located<std::vector<Located<Queue>>> queues;
  Located<std::vector<Located<PriorityClass>>> priority_classes;
  Located<std::vector<Located<Runtime>>> runtimes;
  Located<std::vector<Located<StorageClass>>> storage_classes;
  Located<std::vector<Located<CsiDriver>>> csi_drivers;
  Located<std::vector<Located<Claim>>> claims;
  Located<std::vector<Located<NamespaceInfo>>> namespaces;
  Located<NemoPlatform> nemo;
  Located<GitOps> gitops;
  Located<std::vector<Located<Policy>>> policies;
};

struct Cluster {
  Text api_version;
  Text kind;
  Located<Metadata> metadata;
  Located<ClusterSpec> spec;
};

/// The version of an operator; not given when the Cluster does not list it.
Text operator_version(const Cluster& cluster, Operator which);

/// As decode_training_job.
Cluster decode_cluster(const Tree& tree, NodeId root, Sink& sink);

/// The fields that are decoded, for the comparison with the schema.
const FieldTable& cluster_fields();

}  // namespace trainyard
