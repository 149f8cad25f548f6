#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/field.h"
#include "plan/plan.h"
#include "tree/tree.h"

namespace trainyard {

/// The API version of an operator's objects, from a release of the operator on.
struct ApiVersion {
  std::string_view of;       // the operator, as a Cluster calls it
  std::string_view since;    // the first release that has it
  std::string_view version;  // `kueue.x-k8s.io/v1beta2`
};

/// An item of a list of texts.
using ListedText = CommandWord;

struct NamespacePlan {
  Field<std::string_view> name;
  std::vector<NamedValue> labels;  // those of every object, and its own
};

/// What a namespace may use in all.
struct QuotaPlan {
  Field<std::string_view> ns;
  std::vector<NamedValue> hard;
};

/// A class of pods, of queued workloads, or one of each.
struct PriorityPlan {
  Field<std::string_view> name;
  Field<std::int64_t> value;
  Field<std::string_view> preemption;
  Field<bool> global_default;
  Field<std::string_view> description;
};

struct TopologyLevelPlan {
  Field<std::string_view> alias;
  Field<std::string_view> label;  // of nodes
};

/// How the nodes of a pool are grouped, the widest level first.
struct TopologyPlan {
  Field<std::string_view> name;
  std::vector<TopologyLevelPlan> levels;
};

struct TaintPlan {
  Field<std::string_view> key;
  Field<std::string_view> match;  // `Equal` or `Exists`: the operator of a toleration for it
  Field<std::string_view> value;
  Field<std::string_view> effect;
};

/// A sort of nodes that a queue hands out.
struct FlavorPlan {
  Field<std::string_view> name;
  Field<std::string_view> topology;
  std::vector<NamedValue> labels;
  std::vector<TaintPlan> taints;
};

/// How much of one resource a queue has of one flavor.
struct SharePlan {
  Field<std::string_view> resource;
  Field<std::string_view> nominal;
  Field<std::string_view> borrowing;  // the most that it may have beyond that
};

/// What a queue has of one flavor: all its resources, in the order in which it covers them.
struct FlavorShare {
  Field<std::string_view> flavor;
  std::vector<SharePlan> shares;
};

/// The quota behind queues of Kueue.
struct ClusterQueuePlan {
  Field<std::string_view> name;
  Field<std::string_view> cohort;
  Field<std::int64_t> weight;
  Field<std::string_view> preempts_within;  // whom its jobs push out of the same queue
  Field<std::string_view> reclaims;         // and of others below its cohort
  std::vector<ListedText> namespaces;
  std::vector<ListedText> covered;  // resources
  std::vector<FlavorShare> flavors;
};

/// A queue of Kueue in one namespace.
struct LocalQueuePlan {
  Field<std::string_view> name;
  Field<std::string_view> ns;
  Field<std::string_view> cluster_queue;
};

struct VolcanoQueuePlan {
  Field<std::string_view> name;
  Field<std::string_view> parent;
  Field<std::int64_t> weight;
  std::vector<NamedValue> capability;
  std::vector<NamedValue> deserved;
};

/// What a HyperNode of Volcano consists of: nodes with a label, or another HyperNode.
struct HyperMember {
  Field<std::string_view> of;      // `Node` or `HyperNode`
  std::vector<NamedValue> labels;  // of nodes
  Field<std::string_view> name;    // of a HyperNode
};

/// A domain of a topology level, as Volcano knows it.
struct HyperNodePlan {
  Field<std::string_view> name;
  Field<std::int64_t> tier;
  Field<std::string_view> tier_name;
  std::vector<HyperMember> members;
};

/// -1 stands for no limit.
struct KaiShare {
  Field<std::int64_t> quota;
  Field<std::int64_t> limit;
  Field<std::int64_t> weight;
};

struct KaiQueuePlan {
  Field<std::string_view> name;
  Field<std::string_view> parent;
  KaiShare gpu;     // in GPUs
  KaiShare cpu;     // in thousandths
  KaiShare memory;  // in millions of bytes
};

/// A runtime of Kubeflow Trainer.
struct PlatformRuntime {
  Field<std::string_view> kind;  // for the whole cluster, or for a namespace
  Field<std::string_view> name;
  Field<std::string_view> ns;
  std::vector<NamedValue> labels;  // those of every object, and the framework
  Field<std::string_view> image;
  Field<std::string_view> policy;  // by which processes meet: torch, jax, xgboost or mpi
  Field<std::string_view> gang;    // who starts its pods together
  // Of policy `mpi`.
  Field<std::string_view> ssh_directory;
  Field<std::int64_t> user;
  std::vector<ListedText> sshd;  // arguments
  Field<std::int64_t> ssh_port;
};

/// A secondary network of GKE.
struct GkeNetworkPlan {
  Field<std::string_view> name;
  Field<std::string_view> vpc;
  Field<std::string_view> subnet;
  Field<std::string_view> device_mode;
};

/// A ConfigMap that one of the GPU Operator's programs reads.
struct OperatorConfigPlan {
  Field<std::string_view>
      name;  // with a part made from the content: no program watches it for changes
  Field<std::string_view> ns;
  std::vector<NamedValue> data;
};

/// The settings of the GPU Operator. Absent if the Cluster has none.
struct GpuPolicyPlan {
  Field<bool> wanted;
  Field<std::string_view> mig_strategy;
  Field<bool> cdi;
  Fragment device_plugin;  // an empty map where there is nothing to say of it
  Field<std::string_view> mig_config;
};

/// What moves entities of NeMo.
struct EntityHandlerPlan {
  Field<std::string_view> name, ns, image, pull_secret;
  std::vector<ListedText> command, args;
  Fragment env;
  Field<std::string_view> cpu, memory;
};

/// The service that makes training jobs of NeMo. Its name is set where there is one to make.
struct CustomizerPlan {
  Field<std::string_view> name, ns;
  Fragment spec;
};

/// What has to be in a cluster before jobs run there; of each kind, in the order of the Cluster.
struct PlatformPlan {
  Tree tree;  // owns fragments and computed texts

  std::vector<NamedValue> labels;  // of every object
  Field<std::string_view> kueue_api;

  std::vector<NamespacePlan> namespaces;
  std::vector<QuotaPlan> quotas;
  std::vector<PriorityPlan> pod_priorities;
  std::vector<PriorityPlan> workload_priorities;
  std::vector<TopologyPlan> kueue_topologies;
  std::vector<TopologyPlan> kai_topologies;
  std::vector<FlavorPlan> flavors;
  std::vector<ClusterQueuePlan> cluster_queues;
  std::vector<LocalQueuePlan> local_queues;
  std::vector<VolcanoQueuePlan> volcano_queues;
  std::vector<HyperNodePlan> hyper_nodes;
  std::vector<KaiQueuePlan> kai_queues;
  std::vector<PlatformRuntime> runtimes;
  std::vector<GkeNetworkPlan> gke_networks;
  std::vector<OperatorConfigPlan> operator_configs;
  GpuPolicyPlan gpu_policy;
  std::vector<EntityHandlerPlan> entity_handlers;
  CustomizerPlan customizer;
};

/// The items of the loops around a hole of a platform's template.
struct PlatformScope {
  const PlatformPlan* plan = nullptr;
  const NamespacePlan* name_space = nullptr;
  const QuotaPlan* quota = nullptr;
  const PriorityPlan* priority = nullptr;
  const TopologyPlan* topology = nullptr;
  const TopologyLevelPlan* level = nullptr;
  const FlavorPlan* flavor = nullptr;
  const TaintPlan* taint = nullptr;
  const ClusterQueuePlan* cluster_queue = nullptr;
  const FlavorShare* flavor_share = nullptr;
  const SharePlan* share = nullptr;
  const LocalQueuePlan* local_queue = nullptr;
  const VolcanoQueuePlan* volcano_queue = nullptr;
  const HyperNodePlan* hyper_node = nullptr;
  const HyperMember* hyper_member = nullptr;
  const KaiQueuePlan* kai_queue = nullptr;
  const PlatformRuntime* runtime = nullptr;
  const GkeNetworkPlan* gke_network = nullptr;
  const OperatorConfigPlan* operator_config = nullptr;
  const EntityHandlerPlan* entity_handler = nullptr;
};

}  // namespace trainyard
