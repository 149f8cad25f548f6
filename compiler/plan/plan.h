#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/field.h"
#include "tree/tree.h"

namespace trainyard {

/// A value in Kubernetes' own shape (an affinity, a toleration, a volume), built in `Plan::tree`.
using Fragment = Field<NodeId>;

/// A label, an annotation, a node selector entry, a resource amount.
struct NamedValue {
  std::string_view name;
  std::string_view value;
  OriginId origin = kNoOrigin;
};

/// An environment variable of the training container, in the order in which it is emitted.
struct EnvVar {
  std::string_view name;
  std::string_view value;        // of a literal
  std::string_view secret, key;  // of a reference to a Secret's key
  std::string_view field_path;   // of a reference to the pod's own fields
  bool optional = false;         // the pod starts without the Secret's key
  OriginId origin = kNoOrigin;

  bool is_literal() const { return secret.empty() && field_path.empty(); }
};

struct VolumeMount {
  std::string_view volume;
  std::string_view path;
  std::string_view sub_path;
  bool read_only = false;
  OriginId origin = kNoOrigin;
};

struct Volume {
  std::string_view name;
  NodeId fragment = kNoNode;  // the whole entry, `name` included
  OriginId origin = kNoOrigin;
};

/// A variable that the launcher of a process sets to its rank.
struct RankVariable {
  std::string_view name;
  bool local = false;  // the rank within the node
  OriginId origin = kNoOrigin;
};

struct CommandWord {
  std::string_view text;
  OriginId origin = kNoOrigin;
};

/// Another role that a role starts after.
struct RoleWait {
  std::string_view role;
  bool ended = false;  // well; else that its pods are ready
  OriginId origin = kNoOrigin;
};

/// What the language calls the training container, whatever the target does.
inline constexpr std::string_view kMainContainer = "main";

/// What one group of equal pods is: the master, the workers, the launcher.
struct Role {
  std::string_view name;
  bool trains = true;  // false for one that only starts the others
  Field<std::int64_t> replicas;
  Field<std::int64_t> parts;          // equal parts in which the pods are made
  Field<std::int64_t> part_pods;      // pods of each part
  Field<std::int64_t> own_restarts;   // failed pods of the role that come back without the others
  Field<std::int64_t> retries;        // failed pods that the role survives if it ends by itself
  Fragment failure_policy;            // which failures of its pods count
  Field<std::int64_t> deadline, ttl;  // seconds
  Field<bool> fails_job;              // its failure ends the job, whatever restarts are left
  Field<bool> expendable;             // its failure does not end the job
  Field<bool> ends_job;               // set where the job ends with some of its roles
  Field<std::string_view> waits_for;  // the role whose pods are ready before these start
  Field<std::string_view>
      follows;                  // the one of `Plan::before` that has ended well before these start
  std::vector<RoleWait> waits;  // roles that stand above, as the spec orders its programs
  Field<std::int64_t> runs, run_pods;  // runs of neighbours that stay together, and pods of each
  Field<std::int64_t> run_tier;        // of Volcano's HyperNodes, in which each run stays
  Field<std::int64_t> first_rank;  // of the node of its first pod; unset when its pods have no rank
  Field<std::int64_t> gpus;        // per pod
  Field<std::int64_t> processes;   // per pod, as the launcher starts them
  std::vector<RankVariable> rank_variables;  // where no field of the pod holds the rank
  Field<std::string_view> gpu_resource;      // by which whole GPUs are requested
  Field<std::string_view> gpu_share;         // whole GPUs of NVIDIA or a part of one, as a text
  Field<std::string_view> gpu_fraction;      // of one GPU, when the pod has only a part: `0.5`
  Field<std::string_view> gpu_memory;        // the same as an amount of its memory
  Field<std::string_view> gpu_profile;       // of the MIG slices that are its GPUs
  Field<std::string_view> gpu_class;         // of devices, by which GPUs are claimed

  Field<std::string_view> container_name;
  Field<std::string_view> image;
  Field<std::string_view> image_pull_policy;
  Field<std::string_view> working_dir;
  std::vector<CommandWord> command;
  std::vector<CommandWord> args;
  Field<std::string_view> command_line, argument_line;  // the same in one text, quoted for a shell
  std::vector<EnvVar> env;
  std::vector<Fragment> env_from;
  Fragment ports;
  Fragment readiness;                     // the probe by which the container is known to be ready
  std::vector<CommandWord> stop_command;  // run in the container before the signal to stop
  std::vector<NamedValue> requests;
  std::vector<NamedValue> limits;
  std::vector<Volume> volumes;
  std::vector<VolumeMount> mounts;
  std::vector<Fragment> init_containers;
  std::vector<Fragment> sidecars;         // ordinary containers beside the training container
  std::vector<Fragment> resource_claims;  // of the pod
  std::vector<Fragment> claims;           // of them, those of the training container
  std::vector<CommandWord> capabilities;  // that a fabric needs
  Field<bool> privileged;                 // because a fabric needs it
  Fragment container_security;
  Fragment pod_security;
  Field<std::string_view> group_list;  // supplemental groups in one text

  std::vector<NamedValue> pod_labels;
  std::vector<NamedValue> pod_annotations;
  std::vector<NamedValue> node_selector;
  Field<std::string_view> node_pools, node_type;  // in place of it, where pools have names
  std::vector<Fragment> tolerations;
  Fragment affinity;
  Fragment spread;  // topologySpreadConstraints
  std::vector<Fragment> image_pull_secrets;
  Field<std::string_view> service_account;
  Field<bool> mount_token;  // of the service account
  Field<std::string_view> priority_class;
  Field<std::string_view> scheduler;
  Field<std::string_view> scheduling_group;  // a PodGroup of Kubernetes itself
  Field<std::string_view> workload_group;    // in its place, a Workload of Kubernetes 1.35
  Field<std::string_view> runtime_class;
  Field<std::string_view> restart_policy;
  Field<std::string_view> replica_policy;  // the same where it stands beside the pod's template
  Field<std::int64_t> grace_period;        // seconds
  Field<std::string_view> subdomain;
  Field<std::string_view> service;  // headless, that a program brings along
  Field<bool> service_links;
  Field<bool> host_network;
  Field<std::string_view> dns_policy;
};

/// A file set that travels in a ConfigMap named by its content.
struct ConfigMapPlan {
  std::string_view name;
  std::vector<NamedValue> text;
  std::vector<NamedValue> binary;  // base64
  OriginId origin = kNoOrigin;
};

/// A claim that the job brings along.
struct ClaimPlan {
  std::string_view name;
  Fragment spec;
  std::vector<NamedValue> annotations;  // those of the job, and what becomes of it after the job
  OriginId origin = kNoOrigin;
};

/// Data that comes to a directory before the program starts, or goes from it once that has ended.
struct DataPlan {
  Field<std::string_view> uri;      // as it is written
  Field<std::string_view> scheme;   // `s3`, `hf`, `ngc`, `nemo`
  Field<std::string_view> owner;    // a bucket, an organisation, a namespace
  Field<std::string_view> item;     // what it has: a prefix of keys, a repository, a team and name
  Field<std::string_view> version;  // where the address has one
  Field<std::string_view> path;     // the directory
  Field<std::string_view> kind;     // `dataset`, `model`, `artifact`; unset where nothing says so
  Field<std::string_view> credentials;  // the Secret whose keys are variables of the transfer
  Field<std::string_view> endpoint;
  Field<std::string_view> revision;
  Field<std::string_view> handler;
  Field<std::string_view> below;  // the directory as seen from the workspace, where there is one
  Field<bool> after_failure;      // set where it goes after a failure, too
  Field<bool> unpack;             // set where it is an archive whose content is wanted
};

/// The one volume on which a job has its data, where its system wants one.
struct WorkspacePlan {
  Field<std::string_view> claim;
  Field<std::string_view> path;  // where the pods see it
  Field<bool> made;              // set when the system makes the claim, and takes it away again
  Field<bool> filled;            // set when data comes to it
  Field<std::string_view> size, storage_class, access_mode;  // of such a claim
};

/// The pods of a service of the trained model are the job's one role; this is what is around them.
struct ServePlan {
  Field<std::string_view> repository, tag;  // of the image
  Field<std::string_view> credentials;
  Field<std::string_view> pull_secret;      // the first of those of the role
  Field<std::string_view> claim, sub_path;  // that hold the model, where the training left it
  Field<bool> read_only;
  Field<bool> own_model;          // the image's own is fetched
  Field<std::string_view> cache;  // name of what fetches the model, set where something does
  Field<std::string_view> cache_image, cache_claim;
  Field<bool> cache_made;
  Field<std::string_view> cache_size, cache_class, cache_access;
  Field<std::string_view> profile;
  Field<std::int64_t> replicas;  // unset where their number is chosen from time to time
  Field<std::int64_t> min_replicas, max_replicas;
  Fragment metrics;
  Field<std::int64_t> nodes;  // of one replica, where it has several
  Field<bool> by_mpi;         // set where these are started by mpirun
  Field<std::int64_t> port;
  Field<std::string_view> service_type, domain, ingress_class, tls_secret;
  Field<std::string_view> shared_memory;  // where the spec says how much
};

/// Devices of one class; each pod gets its own.
struct DeviceClaimPlan {
  std::string_view name;  // of the template from which the claims are made
  std::string_view device_class;
  std::string_view selector;  // which devices of the class, in CEL; "" for any
  std::int64_t count = 0;
  OriginId origin = kNoOrigin;
};

/// Nodes that share memory over NVLink.
struct NvlinkPlan {
  Field<std::string_view> domain;   // set when the job's nodes do
  Field<std::string_view> channel;  // the claim template by which pods join
  Field<std::int64_t> nodes;        // for how many it waits; 0 for none
};

/// Where the ranks meet. Set when there are several nodes.
struct RendezvousPlan {
  Field<std::string_view> service;  // the headless Service that the job brings along
  Field<std::string_view> role;     // that rank 0 is of
  Field<std::string_view> master;   // host name of rank 0
  Field<bool> label_fits;           // whether that may be the value of a label
  Field<std::int64_t> port;
  Field<std::int64_t> nodes;              // those that have a rank
  Field<std::string_view> rank_field;     // the pod's own field that holds the node's rank
  Field<std::string_view> rank_variable;  // else the variable, set by a controller, that does
  Field<bool> master_is_told;  // only variables that a controller sets hold host name and port
};

/// What pods may talk to besides those of their job and DNS, if they are cut off from all the rest.
struct IsolationPlan {
  Field<std::string_view> name;      // of what cuts them off
  std::vector<NamedValue> selector;  // labels that only these pods have
  std::vector<NamedValue> dns;       // blocks of addresses at which DNS is, beside its pods
  std::vector<Fragment> ingress;     // rules of a NetworkPolicy
  std::vector<Fragment> egress;      // likewise
};

/// How mpirun starts the ranks. Set where it has a role of its own.
struct MpirunPlan {
  Field<std::string_view> implementation;
  Field<std::int64_t> slots;         // processes that mpirun starts on each node
  Field<std::int64_t> nodes;         // on which it does
  Field<std::int64_t> gang;          // pods that start together: without a launcher that waits
  Field<bool> launcher_works;        // set where the launcher is a node, too
  Field<std::string_view> ssh_path;  // set where the keys are not at the controller's own place
  Field<std::int64_t> ssh_port;      // at which sshd listens; unset for that of the image
};

/// How many nodes an elastic job may have. Set for an elastic job only.
struct ElasticPlan {
  Field<std::int64_t> min_nodes;
  Field<std::int64_t> max_nodes;
  Field<std::int64_t> max_restarts;  // of the processes
};

/// A PodGroup that the job brings along.
struct GroupPlan {
  std::string_view name;
  std::int64_t min_member = 0;
  OriginId origin = kNoOrigin;   // of its name
  OriginId counted = kNoOrigin;  // of its size
};

/// Pods that a scheduler places together or not at all.
struct GangPlan {
  Field<std::string_view> system;  // as `scheduling.system` calls it; unset without a gang
  std::vector<GroupPlan> groups;   // one for the job, or one for each role
  Field<std::string_view> api;     // their version where Kubernetes itself has it; unset for others
  Field<std::int64_t> min_member;  // pods that start together; unset if each role has a gang
  Field<std::int64_t> timeout;     // seconds that a started gang waits for its last pod
  Field<std::string_view> priority_class;
};

/// How a scheduler learns which part of the cluster a job stays in, if not by its pods.
struct JobTopology {
  Field<std::string_view> mode;      // of Volcano: `hard` or `soft`
  Field<std::int64_t> highest_tier;  // of Volcano's HyperNodes
};

/// An exit code of the training container and what it means.
struct ExitRule {
  std::int64_t code = 0;
  bool is_final = false;  // ends the job, whatever restarts are left
  OriginId origin = kNoOrigin;
};

/// How the job ends, well or badly. Durations are in seconds.
struct LifecyclePlan {
  Field<std::int64_t> retries;        // failed pods that the job survives
  Field<std::int64_t> restarts;       // how often the whole job is started again
  Field<std::int64_t> starts;         // those, and the first
  std::vector<ExitRule> exits;        // where they decide whether it is
  Field<bool> others_final;           // set where all other failures of a program end the job
  Field<std::int64_t> restart_limit;  // failed pods and containers at which an operator gives up
  Field<std::int64_t> deadline;
  Field<std::int64_t> ttl;
  Fragment failure_policy;
  Field<bool> final_failures;  // some failures end the job, whatever restarts are left
  Field<bool> some_final;      // so does any failure of some roles
  Field<bool> suspend;
};

/// Where the head of a Ray cluster keeps its state, so that another head finds it.
struct RayStatePlan {
  Field<std::string_view> address;  // of a Redis; unset without one
  Field<std::string_view> username;
  Field<std::string_view> secret, key;  // of its password
};

/// What only Run:ai knows.
struct RunaiPlan {
  Field<std::string_view> usage, base_workload, name_prefix, node_pool, gpu_limit;
  Field<std::string_view> service_type, user_id, username;
  Field<std::string_view> affinity_topology, affinity_rule;
  Field<std::int64_t> completions, parallelism, preemption_limit;
  Field<std::int64_t> mpi_workers, mpi_slots;
  Field<bool> terminate_after_preemption, create_home_dir, host_ipc, standard_input, terminal;
  Field<bool> mount_propagation, non_preemptible;
  Fragment exposed_urls, git_sync, buckets;  // with each item in its wrapper
};

/// The definition of a job's pods where it is an object of its own, which the job refers to.
struct RuntimePlan {
  Field<std::string_view> name;  // of one that is made: until its content is known, kUnnamedRuntime
                                 // stands at the end
  Field<std::string_view> kind;
  std::vector<NamedValue> annotations;  // of the object that is made of it for the job
  Field<std::string_view> policy;  // how one that is made brings ranks together: `torch`, `mpi`,
                                   // `jax`, `xgboost`, or `plain` where it does not;
                                   // `programs` for several
  Field<bool> exists;              // it was there before the job
};

/// Stands for the digits that a runtime gets from its content.
inline constexpr std::string_view kUnnamedRuntime = "00000000";

/// Stands for the digits that a run gets from its objects, at the end of their names and in labels.
inline constexpr std::string_view kUnnamedRun = "q0run7xz";
/// Labels that find the runs of a job, and distinguish them.
inline constexpr std::string_view kJobLabel = "trainyard/job";
inline constexpr std::string_view kRunLabel = "trainyard/run";
/// With the word `never`, a change that a running job cannot take is refused by a plan.
inline constexpr std::string_view kRerunAnnotation = "trainyard/rerun";

/// What will run, whatever runs it: names no target's object. Filled by the rules, read by targets.
struct Plan {
  Tree tree;  // owns fragments and computed texts

  Field<std::string_view> target;
  Field<std::string_view> framework;
  Field<std::string_view> job;   // its name in the spec, which claims and policies have
  Field<std::string_view> name;  // of its main object: the same, or that of a run
  Field<std::string_view> ns;
  std::vector<NamedValue> labels;
  std::vector<NamedValue> lasting_labels;   // of what outlives a run: those without that of the run
  std::vector<NamedValue> workload_labels;  // of the job's main object: those and the queue's
  std::vector<NamedValue> annotations;
  std::vector<NamedValue> workload_annotations;  // of the main object: those and the queue's
  std::vector<NamedValue> selector;              // labels that only this run's pods have
  std::vector<NamedValue> lasting_selector;      // labels that the pods of all its runs have
  Field<std::string_view> queue;
  Field<std::string_view> system;  // that queues the job or places its pods; unset for none
  Field<std::string_view>
      entrypoint;  // the program as one line for a shell, where no pod starts it
  Field<std::string_view> runtime_env;  // YAML of what it needs, where a cluster of Ray provides it
  Field<bool> multi_node;
  Field<bool> programs;  // set when its roles are programs of their own
  Field<bool> uneven;    // set when its roles differ in more than their number of pods
  Field<std::int64_t> pods;
  Field<std::string_view> processes;  // per pod, where a controller has one number for all pods
  ElasticPlan elastic;
  Field<bool> in_order;    // roles start in the order in which they stand
  Field<bool> ends_early;  // some roles are stopped when the others have ended
  std::vector<Role> roles;
  std::vector<Role> before;  // single pods that end well before those start
  std::vector<Role> after;   // single pods that start once those have ended well
  RendezvousPlan rendezvous;
  MpirunPlan mpirun;
  GangPlan gang;
  JobTopology topology;
  LifecyclePlan lifecycle;
  RuntimePlan runtime;
  std::vector<ConfigMapPlan> config_maps;
  std::vector<ClaimPlan> claims;
  std::vector<DataPlan> inputs, outputs;
  WorkspacePlan workspace;
  ServePlan serve;
  RunaiPlan runai;
  RayStatePlan ray_state;
  std::vector<DeviceClaimPlan> device_claims;
  Field<std::string_view> claims_api;  // the version of the API for them
  NvlinkPlan nvlink;
  std::vector<IsolationPlan> isolations;  // one for the job, or one for each role

  std::vector<EnvVar> spare_env;  // memory of a plan before, for a list of variables

  /// Empties the plan and keeps its memory.
  void clear();
};

}  // namespace trainyard
