#include <map>

#include "effective/replicas.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr ReplicaKind kKind = {"tfReplicaSpecs", "tensorflow",      "tfjob-port", 2222,
                               "Never",          "tfjob-controller"};

std::vector<PodRole> roles(View job) {
  return replica_roles(job, kKind);
}

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() == 1 ? "" : ",") + quoted(item);
  return text + "]";
}

std::vector<std::string> hosts_of(const ReplicaJob& job, const Replica& replica) {
  std::vector<std::string> hosts;
  const std::string end = "." + std::string(namespace_of(job.object())) +
                          ".svc:" + std::to_string(job.port_of(replica));
  for (std::int64_t i = 0; i < replica.count; ++i) {
    hosts.push_back(job.pod_name(replica.type, i) + end);
  }
  return hosts;
}

/// The hosts of all roles, by the names of the roles in their order.
std::string cluster_of(const ReplicaJob& job) {
  std::map<std::string, std::string> lists;
  for (const Replica& each : job.replicas()) lists[each.lower()] = list_of(hosts_of(job, each));
  std::string text = "{";
  for (const auto& [type, hosts] : lists) {
    text += (text.size() == 1 ? "" : ",") + quoted(type) + ":" + hosts;
  }
  return text + "}";
}

/// What `enableDynamicWorker` leaves of it: of the workers only this one.
std::string sparse_cluster(const ReplicaJob& job, const Replica& replica, std::int64_t index) {
  std::string worker = "{}";
  std::string servers = "[]";
  const auto own = static_cast<std::size_t>(index);
  if (replica.type == "PS") {
    servers = list_of({hosts_of(job, replica)[own]});
  } else if (replica.type == "Worker") {
    worker = "{" + quoted(std::to_string(index)) + ":" + quoted(hosts_of(job, replica)[own]) + "}";
    const Replica* found = job.find("PS");
    servers = found == nullptr ? "null" : list_of(hosts_of(job, *found));
  }
  return "{\"worker\":" + worker + ",\"ps\":" + servers + "}";
}

std::string tf_config(const ReplicaJob& job, const Replica& replica, std::int64_t index) {
  const bool dynamic = is_true(get(job.spec(), "enableDynamicWorker"));
  return "{\"cluster\":" + (dynamic ? sparse_cluster(job, replica, index) : cluster_of(job)) +
         ",\"task\":{\"type\":" + quoted(replica.lower()) + ",\"index\":" + std::to_string(index) +
         "}" + (dynamic ? "}" : ",\"environment\":\"cloud\"}");
}

EffectivePod pod(PodBuilder& maker, View object, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  const ReplicaJob job(object, kKind);
  const Replica& replica = *job.find(role);
  const bool has_chief = job.find("Chief") != nullptr || job.find("Master") != nullptr;
  const bool master = has_chief ? replica.type == "Chief" || replica.type == "Master"
                                : replica.type == "Worker" && index == 0;
  EffectivePod result;
  const PodDraft draft = draft_replica(maker, job, replica, index, master, result);
  const NodeId container = container_named(maker, draft.spec, kKind.container);
  if (job.total() != 1 && container != kNoNode) {
    append_env(maker, container, "TF_CONFIG", tf_config(job, replica, index),
               maker.mark("hosts of all replicas, and which one this is"));
  }
  return result;
}

}  // namespace

constinit const PodKind kTensorFlowPods = {
    "kubeflow.org",
    "TFJob",
    "v1",
    "training-operator",
    "kubeflow/training-operator pkg/controller.v1/tensorflow/tensorflow.go",
    roles,
    pod};

}  // namespace trainyard
