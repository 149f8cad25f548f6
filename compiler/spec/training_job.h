#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "spec/job_words.h"
#include "spec/located.h"
#include "tree/tree.h"

/// A TrainingJob as it was written. What each field means, its unit and its default are in
/// schemas/trainyard/v1alpha1/TrainingJob.yaml.
namespace trainyard {

struct Metadata {
  Text name;
  TextMap labels;
  TextMap annotations;
};

struct JobMetadata : Metadata {
  Text ns;
};

struct Pip {
  TextList index_urls;
  TextList args;
};

struct RendezvousRequest {
  Located<RendezvousBackend> backend;
  Integer port;
  Duration timeout;
};

/// The program. At most one of `command`, `script`, `module` and `shell`.
struct Run {
  TextList command;
  Text script;
  Text module;
  Text shell;
  TextList args;
  Located<Launcher> launcher;
  TextList launcher_args;
  Located<MpiImplementation> mpi_implementation;
  Integer ssh_port;
  Text working_dir;
  TextList before;
  TextList packages;
  Located<Pip> pip;
  Located<RendezvousRequest> rendezvous;
};

/// Which GPUs. At most one of `mig`, `fraction` and `memory`.
struct GpuRequest {
  Text product;
  QuantityText min_memory;
  Text mig;
  Text fraction;  // a decimal number as it was written
  QuantityText memory;
  Located<GpuSharing> sharing;
  Text resource;
};

struct ResourceLimits {
  QuantityText cpu;
  QuantityText memory;
  QuantityText ephemeral_storage;
};

struct Resources {
  QuantityText cpu;
  QuantityText memory;
  QuantityText ephemeral_storage;
  QuantityText shared_memory;
  Located<ResourceLimits> limits;
  TextMap extended;  // quantities by resource name
};

struct TopologySlice {
  Text level;
  Integer nodes;
};

struct TopologyRequest {
  Text level;
  Located<TopologyMode> mode;
  Flag exclusive;
  Located<TopologySlice> slice;
};

struct Placement {
  Flag one_pod_per_node;
  Located<TopologyRequest> topology;
  Located<SpotUse> spot;
  TextMap node_selector;
  Shape affinity;                     // core/v1 Affinity
  Shape tolerations;                  // list of core/v1 Toleration
  Shape topology_spread_constraints;  // list of core/v1 TopologySpreadConstraint
  Text zone;
};

struct SecretKey {
  Text name;
  Text key;
  Flag optional;
};

struct CreatedClaim {
  Text name;
  QuantityText size;
  Text storage_class_name;
  Located<std::vector<Located<AccessMode>>> access_modes;
  Flag keep;
};

/// A mounted directory: its place and exactly one source.
struct StorageMount {
  Text mount_path;
  Flag read_only;
  Text sub_path;
  Text claim;
  Located<CreatedClaim> create;
  Shape ephemeral;   // core/v1 EphemeralVolumeSource
  Shape empty_dir;   // core/v1 EmptyDirVolumeSource
  Shape host_path;   // core/v1 HostPathVolumeSource
  Shape nfs;         // core/v1 NFSVolumeSource
  Shape csi;         // core/v1 CSIVolumeSource
  Shape config_map;  // core/v1 ConfigMapVolumeSource
  Shape secret;      // core/v1 SecretVolumeSource
};

struct Elastic {
  Integer min_nodes;
  Integer max_nodes;
  Integer max_restarts;
};

/// Rules of a NetworkPolicy.
struct AllowedTraffic {
  Shape ingress;  // list of networking.k8s.io/v1 NetworkPolicyIngressRule
  Shape egress;   // list of networking.k8s.io/v1 NetworkPolicyEgressRule
};

struct NetworkRequest {
  Text fabric;
  Text interface;
  Flag host_network;
  Shape ports;  // list of core/v1 ContainerPort
  Flag isolate;
  Located<AllowedTraffic> allow;
};

/// A staged file: exactly one of `from` and `content`.
struct StagedFile {
  Text path;
  Text from;
  Text content;
  Flag executable;
};

struct Files {
  Text mount_path;
  Located<std::vector<Located<StagedFile>>> items;
};

struct Checkpoint {
  Text path;
  Located<CheckpointSignal> signal;
};

struct Lifecycle {
  Integer retries;
  Located<RetryOn> retry_on;
  Shape pod_failure_policy;  // batch/v1 PodFailurePolicy
  Duration deadline;
  Duration ttl;
  Duration grace_period;
  Located<Checkpoint> checkpoint;
  Flag suspend;
};

/// What a role may say for itself; the job itself is the role from which all others start.
struct RoleFields {
  Text image;
  Located<ImagePullPolicy> image_pull_policy;
  Located<Framework> framework;
  Located<Run> run;
  Integer nodes;
  Integer gpus_per_node;
  Integer processes_per_node;
  Text machine;
  Text pool;
  Located<GpuRequest> gpu;
  Located<Resources> resources;
  Located<Placement> placement;
  TextMap env;
  Located<Map<SecretKey>> secret_env;  // by variable
  Shape env_from;                      // list of core/v1 EnvFromSource
  Located<Map<StorageMount>> storage;
  Shape pod;  // partial core/v1 PodTemplateSpec
  // Of one of several programs only.
  Located<Files> files;
  Located<Elastic> elastic;
  Located<Lifecycle> lifecycle;
  Located<NetworkRequest> network;
};

/// A role. What stands here beside the fields of all roles makes it a program of its own.
struct RoleSpec : RoleFields {
  IntegerMap expose;              // ports by name
  Located<Map<RoleState>> after;  // by role
  Located<RoleEnd> ends;
  Integer groups;  // each of `nodes` pods
  Located<RoleRestart> restart;
  Flag critical;
};

struct Parallelism {
  Integer tensor;
  Integer pipeline;
  Integer context;
  Integer expert;
  Integer data;
};

struct Scheduling {
  Located<SchedulingSystem> system;
  Text queue;
  Text priority;
  Located<GangExtent> gang;
  Duration timeout;
  Flag preemptible;
  Text scheduler_name;
};

struct DataItem {
  Text uri;
  Text path;
  Located<DataKind> kind;
  Text credentials;
  Text endpoint;
  Text revision;
  Text handler;
  Flag after_failure;  // of an output
  Flag unpack;         // of an input
};

struct Data {
  Located<std::vector<Located<DataItem>>> inputs;
  Located<std::vector<Located<DataItem>>> outputs;
};

struct Security {
  Located<SecurityLevel> level;
  Integer run_as_user;
  Integer run_as_group;
  Flag run_as_non_root;
  Integer fs_group;
  Located<std::vector<Integer>> supplemental_groups;
  Shape capabilities;     // core/v1 Capabilities
  Shape seccomp_profile;  // core/v1 SeccompProfile
  Flag allow_privilege_escalation;
  Flag read_only_root_filesystem;
};

struct RunaiMpi {
  Integer workers;
  Integer slots_per_worker;
};

struct RunaiAffinity {
  Text topology_key;
  Located<TopologyMode> mode;
};

struct RunaiUrl {
  Integer container;
  Text url;
  Located<UrlAccess> authorization_type;
  TextList authorized_users;
  TextList authorized_groups;
  Text tool_type;
  Text tool_name;
};

struct RunaiRepository {
  Text repository;
  Text branch;
  Text revision;
  Text path;
};

struct RunaiBucket {
  Text bucket;
  Text path;
  Text url;
};

/// What only Run:ai knows.
struct RunaiRequest {
  Located<RunaiUsage> usage;
  Text base_workload;
  Text name_prefix;
  TextList node_pools;
  Text node_pool;
  Located<RunaiAffinity> pod_affinity;
  QuantityText gpu_limit;
  Integer completions;
  Integer parallelism;
  Integer preemption_limit;
  Flag terminate_after_preemption;
  Located<RunaiMpi> mpi;
  Flag create_home_dir;
  Flag host_ipc;
  Flag standard_input;
  Flag terminal;
  Flag mount_propagation;
  Located<ServiceType> service_type;
  Located<Map<RunaiUrl>> exposed_urls;
  Located<Map<RunaiRepository>> git_sync;
  Located<Map<RunaiBucket>> buckets;
  Text username;
  Text user_id;
};

/// At most one of `path` and `uri`.
struct ServedModel {
  Text path;
  Text uri;
  Text revision;
  Text endpoint;
  Text profile;
};

/// Exactly one of `claim` and `size`.
struct ModelCache {
  Text claim;
  QuantityText size;
  Text storage_class_name;
  Located<AccessMode> access_mode;
  Text image;
};

struct Autoscale {
  Integer min_replicas;
  Integer max_replicas;
  Shape metrics;  // list of autoscaling/v2 MetricSpec
};

struct Exposure {
  Integer port;
  Located<ServiceType> type;
  Text domain;
  Text ingress_class;
  Text tls_secret;
};

/// What comes after the training: a service of the model.
struct Serve {
  Text name;
  Text image;
  Located<ImagePullPolicy> image_pull_policy;
  Text credentials;
  Located<ServedModel> model;
  Located<ModelCache> cache;
  Integer replicas;
  Located<Autoscale> autoscale;
  Integer nodes_per_replica;
  Integer gpus_per_replica;
  Text machine;
  Text pool;
  Located<GpuRequest> gpu;
  Located<Resources> resources;
  Located<Placement> placement;
  Located<Exposure> expose;
  TextMap env;
  Located<Map<SecretKey>> secret_env;  // by variable
  Text priority;
  Text scheduler_name;
  Integer run_as_user;
  Integer run_as_group;
};

struct RedisPassword {
  Text name;
  Text key;
};

struct Redis {
  Text address;
  Text username;
  Located<RedisPassword> password;
};

struct RayRequest {
  Located<Redis> redis;
};

struct Patch {
  Text target;
  Text kind;
  Text name;
  Shape patch;
};

struct JobSpec : RoleFields {
  Shape image_pull_secrets;  // list of core/v1 LocalObjectReference
  Located<Parallelism> parallelism;
  Located<Map<RoleSpec>> roles;  // the keys are words(RoleKind{}), or names of programs
  Text target;
  Text runtime;
  Located<Scheduling> scheduling;
  Located<Data> data;
  Located<Rerun> rerun;
  Integer generation;
  Text service_account;
  Located<Security> security;
  Located<Serve> serve;
  Located<RunaiRequest> runai;
  Located<RayRequest> ray;
  Located<std::vector<Located<Patch>>> patches;
};

struct TrainingJob {
  Text api_version;
  Text kind;
  Located<JobMetadata> metadata;
  Located<JobSpec> spec;
};

/// Decodes a document that the schema check has let through. What does not fit is left out; the
/// diagnostics here are those that a schema cannot give well (`exclusive-fields`, `missing-choice`,
/// `bad-duration`). The result views into `tree` and its source.
TrainingJob decode_training_job(const Tree& tree, NodeId root, Sink& sink);

/// Whether the roles are programs of their own: one has a name that is not in RoleKind, or says
/// what only a program can.
bool has_programs(const JobSpec& spec);
/// Whether a role has a name that only a program has.
bool names_program(std::string_view role);
/// The first field that only a program has; unknown where there is none.
Span field_of_program(const RoleSpec& role);

struct FieldTable;
/// The fields that are decoded, for the comparison with the schema.
const FieldTable& training_job_fields();

}  // namespace trainyard
