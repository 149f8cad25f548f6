#include "effective/replicas.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr ReplicaKind kKind = {"pytorchReplicaSpecs", "pytorch",
                               "pytorchjob-port",     23456,
                               "OnFailure",           "pytorchjob-controller"};

std::vector<PodRole> roles(View job) {
  return replica_roles(job, kKind);
}

/// The variables of one container, each put behind those that are there.
class Variables {
 public:
  Variables(PodBuilder& maker, NodeId container) : maker_(maker), container_(container) {}

  void add(std::string_view name, std::string_view value, std::string_view why, View led_by = {}) {
    append_env(maker_, container_, name, value, maker_.mark(why, led_by));
  }

 private:
  PodBuilder& maker_;
  NodeId container_;
};

std::string processes_of(const ReplicaJob& job) {
  const std::string_view given = string_at(job.spec(), "nprocPerNode");
  if (!given.empty()) return std::string(given);
  const View elastic = get(job.spec(), "elasticPolicy");
  return elastic && get(elastic, "nProcPerNode") ? "" : "auto";
}

/// Processes of a replica as far as WORLD_SIZE is concerned: words count for one.
std::int64_t counted_processes(std::string_view text) {
  if (text.empty() || text.size() > 9) return 1;
  std::int64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return 1;
    value = 10 * value + (c - '0');
  }
  return value;
}

void add_master(const ReplicaJob& job, const Replica& master, std::int64_t rank,
                std::int64_t world_size, Variables& env) {
  const std::string port = std::to_string(job.port_of(master));
  const std::string address = job.pod_name("Master", 0);
  env.add("MASTER_PORT", port, "port of the master");
  env.add("PET_MASTER_PORT", port, "port of the master");
  env.add("MASTER_ADDR", address, "service of the master");
  env.add("PET_MASTER_ADDR", address, "service of the master");
  env.add("WORLD_SIZE", std::to_string(world_size),
          "replicas times nprocPerNode, a word counts for 1", get(job.spec(), "nprocPerNode"));
  env.add("RANK", std::to_string(rank), "rank of this replica, not of a process");
  env.add("PET_NODE_RANK", std::to_string(rank), "rank of this replica");
}

void add_elastic(const ReplicaJob& job, View elastic, Variables& env) {
  const Replica* workers = job.find("Worker");
  const std::string_view host = string_at(elastic, "rdzvHost");
  const std::int64_t worker_port = workers == nullptr ? kKind.port : job.port_of(*workers);
  const std::int64_t port = integer_at(elastic, "rdzvPort").value_or(worker_port);
  env.add(
      "PET_RDZV_ENDPOINT",
      (host.empty() ? job.pod_name("Worker", 0) : std::string(host)) + ":" + std::to_string(port),
      "where elastic workers meet", get(elastic, "rdzvHost"));
  const std::string_view backend = string_at(elastic, "rdzvBackend");
  env.add("PET_RDZV_BACKEND", backend.empty() ? "c10d" : backend, "elasticPolicy",
          get(elastic, "rdzvBackend"));
  const auto least = integer_at(elastic, "minReplicas");
  const auto most = integer_at(elastic, "maxReplicas");
  const std::int64_t all = workers == nullptr ? 0 : workers->count;
  env.add("PET_NNODES",
          std::to_string(least.value_or(most.value_or(all))) + ":" +
              std::to_string(most.value_or(least.value_or(all))),
          "minReplicas and maxReplicas, else the workers", get(elastic, "minReplicas"));
  if (const auto restarts = integer_at(elastic, "maxRestarts")) {
    env.add("PET_MAX_RESTARTS", std::to_string(*restarts), "elasticPolicy",
            get(elastic, "maxRestarts"));
  }
  if (const auto processes = integer_at(elastic, "nProcPerNode")) {
    env.add("PET_NPROC_PER_NODE", std::to_string(*processes), "elasticPolicy",
            get(elastic, "nProcPerNode"));
  }
  if (const View id = get(elastic, "rdzvId")) {
    env.add("PET_RDZV_ID", id->text, "elasticPolicy", id);
  }
  std::string settings;
  for (View each : items_at(elastic, "rdzvConf")) {
    settings += (settings.empty() ? "" : ",") + std::string(string_at(each, "key")) + "=" +
                std::string(string_at(each, "value"));
  }
  if (!settings.empty()) {
    env.add("PET_RDZV_CONF", settings, "elasticPolicy", get(elastic, "rdzvConf"));
  }
  if (is_true(get(elastic, "standalone"))) {
    env.add("PET_STANDALONE", "", "elasticPolicy; torchrun cannot read an empty one",
            get(elastic, "standalone"));
  }
}

void add_waiting_container(PodBuilder& maker, const ReplicaJob& job, const PodDraft& draft) {
  const OriginId mark = maker.mark("waits for the master");
  const NodeId made = maker.map(mark);
  maker.put(made, "name", "init-pytorch", mark);
  maker.put(made, "image", "alpine:3.10", maker.mark("unless the operator is set up otherwise"));
  maker.put(made, "imagePullPolicy", "IfNotPresent", mark);
  const NodeId command = maker.list_at(made, "command", mark);
  const std::string script = "err=1;for i in $(seq 100); do if nslookup " +
                             job.pod_name("Master", 0) +
                             "; then err=0 && break; fi;echo waiting for master; sleep 2; done; "
                             "exit $err";
  for (const std::string& each : {std::string("sh"), std::string("-c"), script}) {
    maker.tree.append(command, maker.text(each, mark));
  }
  const NodeId resources = maker.map_at(made, "resources", mark);
  const NodeId limits = maker.map_at(resources, "limits", mark);
  maker.put(limits, "cpu", "100m", mark);
  maker.put(limits, "memory", "20Mi", mark);
  const NodeId requests = maker.map_at(resources, "requests", mark);
  maker.put(requests, "cpu", "50m", mark);
  maker.put(requests, "memory", "10Mi", mark);
  append_to(maker, draft.spec, "initContainers", made);
}

EffectivePod pod(PodBuilder& maker, View object, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  const ReplicaJob job(object, kKind);
  const Replica& replica = *job.find(role);
  const Replica* master = job.find("Master");
  const bool is_worker = replica.type == "Worker";
  const bool labelled = master != nullptr ? !is_worker : index == 0;
  EffectivePod result;
  const PodDraft draft = draft_replica(maker, job, replica, index, labelled, result);

  const std::string processes = processes_of(job);
  const std::int64_t world_size = job.total() * counted_processes(processes);
  const View elastic = get(job.spec(), "elasticPolicy");
  for (NodeId container : containers(maker, draft.spec)) {
    Variables env(maker, container);
    env.add("PYTHONUNBUFFERED", "1", "output appears at once");
    if (master != nullptr) {
      add_master(job, *master, is_worker ? index + 1 : index, world_size, env);
    }
    if (!processes.empty()) {
      env.add("PET_NPROC_PER_NODE", processes, "nprocPerNode, by default auto",
              get(job.spec(), "nprocPerNode"));
    }
    if (elastic) {
      add_elastic(job, elastic, env);
    } else {
      env.add("PET_NNODES", std::to_string(job.total()), "all replicas");
    }
  }
  if (master != nullptr && is_worker) add_waiting_container(maker, job, draft);
  return result;
}

}  // namespace

constinit const PodKind kPyTorchPods = {
    "kubeflow.org",
    "PyTorchJob",
    "v1",
    "training-operator",
    "kubeflow/training-operator pkg/controller.v1/pytorch/envvar.go",
    roles,
    pod};

}  // namespace trainyard
