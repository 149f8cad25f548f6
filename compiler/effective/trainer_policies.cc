#include <algorithm>

#include "effective/trainer_fold.h"
#include "source/characters.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

/// The number of nodes that the TrainJob asks for is that of the step `trainer`.
void take_num_nodes(TrainJobMerge& fold) {
  TrainerPodSet* set = fold.by_ancestor("trainer");
  const View given = get(fold.trainer(), "numNodes");
  if (set == nullptr || !integer_of(given)) return;
  set->count = *integer_of(given);
  set->counted_by = given;
}

std::int64_t cpus_in(View resources) {
  const auto amount = [&](std::string_view key) -> std::int64_t {
    const View given = get(get(resources, key), "cpu");
    const auto parsed = given ? Quantity::parse(given->text) : std::nullopt;
    return parsed ? parsed->whole_units().value_or(0) : 0;
  };
  const std::int64_t requested = amount("requests");
  return requested != 0 ? requested : amount("limits");
}

bool has_gpu(View resources) {
  if (!resources) return false;
  for (View each : Items(resources)) {
    const std::string key = lower_case(each->key);
    if (key.find("gpu") != std::string::npos) return true;
  }
  return false;
}

/// Trainer 2.0 looked at the TrainJob's resources alone: at the limits, then at the requests, and
/// took one process where the latter are missing.
std::string processes_in_2_0(const std::string& wanted, View resources) {
  const auto of_list = [&](View list, bool& from_cpus) -> std::string {
    from_cpus = false;
    if (!list) return "1";
    from_cpus = wanted == "auto" ? !has_gpu(list) : wanted == "cpu" && get(list, "cpu");
    if (!from_cpus) return wanted == "cpu" ? "1" : wanted;
    const View given = get(list, "cpu");
    const auto parsed = given ? Quantity::parse(given->text) : std::nullopt;
    return std::to_string(
        std::max<std::int64_t>(1, parsed ? parsed->whole_units().value_or(0) : 0));
  };
  bool from_cpus = false;
  std::string found = of_list(get(resources, "limits"), from_cpus);
  if (!from_cpus) found = of_list(get(resources, "requests"), from_cpus);
  return found;
}

std::string processes_per_node(TrainJobMerge& fold, View torch) {
  std::string wanted = "auto";
  if (fold.minor <= 1) {
    if (const View given = get(torch, "numProcPerNode")) wanted = given->text;
  }
  if (const View given = get(fold.trainer(), "numProcPerNode")) wanted = given->text;
  if (fold.minor == 0) {
    const View resources = get(fold.trainer(), "resourcesPerNode");
    return resources ? processes_in_2_0(wanted, resources) : wanted;
  }
  const bool by_cpus =
      (fold.minor == 1 && wanted == "cpu") || (wanted == "auto" && fold.gpus_per_node() == 0);
  if (!by_cpus) return wanted;
  return std::to_string(std::max<std::int64_t>(1, cpus_in(fold.resources_per_node())));
}

void upsert_pet(TrainJobMerge& fold, NodeId container, std::int64_t nodes,
                const std::string& processes) {
  const View given = get(fold.trainer(), "numProcPerNode");
  const TrainerPodSet* set = fold.by_ancestor("trainer");
  fold.upsert_env(container, "PET_NNODES", std::to_string(nodes), "number of nodes",
                  set == nullptr ? View() : set->counted_by);
  fold.upsert_env(container, "PET_NPROC_PER_NODE", processes,
                  given                  ? "numProcPerNode"
                  : is_number(processes) ? "as many as CPUs, for no resource is called gpu"
                                         : "numProcPerNode is not set",
                  given);
  fold.upsert_index_env(container, "PET_NODE_RANK", "index of the pod");
}

void upsert_master(TrainJobMerge& fold, NodeId container) {
  fold.upsert_env(container, "PET_MASTER_ADDR", fold.first_node(), "first node");
  fold.upsert_env(container, "PET_MASTER_PORT", std::to_string(kTrainerPort),
                  "port at which ranks meet");
}

bool runs_torchtune(View trainer) {
  std::vector<std::string_view> words;
  for (View each : items_at(trainer, "command")) words.push_back(each->text);
  return words == std::vector<std::string_view>{"tune", "run"};
}

/// Containers that the runtime wants to have the same variables, since 2.3.
void inject_elsewhere(TrainJobMerge& fold, View torch, std::int64_t nodes,
                      const std::string& processes) {
  for (View target : items_at(get(torch, "envInjection"), "targets")) {
    TrainerPodSet* set = fold.by_name(string_at(target, "jobName"));
    for (View wanted : items_at(target, "containerNames")) {
      NodeId container = kNoNode;
      if (set != nullptr) container = container_named(fold.maker, set->pod_spec, wanted->text);
      for (NodeId each :
           set == nullptr ? std::vector<NodeId>() : init_containers(fold.maker, set->pod_spec)) {
        const bool named = string_at(fold.maker.view(each), "name") == wanted->text;
        if (container == kNoNode && named) container = each;
      }
      if (container == kNoNode) {
        fold.out.failure = "the runtime has no container `" + std::string(wanted->text) +
                           "` in job `" + std::string(string_at(target, "jobName")) +
                           "`, where `envInjection` wants variables";
        return;
      }
      upsert_pet(fold, container, nodes, processes);
      upsert_master(fold, container);
    }
  }
}

void enforce_torch(TrainJobMerge& fold, View torch) {
  fold.maker.act_for("trainer");
  take_num_nodes(fold);
  const std::string processes = processes_per_node(fold, torch);
  const TrainerPodSet* set = fold.by_ancestor("trainer");
  const std::int64_t nodes = set == nullptr ? 1 : set->count;
  const NodeId container = fold.trainer() ? fold.trainer_container() : kNoNode;
  if (container != kNoNode) {
    fold.upsert_trainer_env(container);
    upsert_pet(fold, container, nodes, processes);
    if (runs_torchtune(fold.trainer())) {
      fold.command_end = torchtune_arguments(fold, nodes, processes);
    } else {
      upsert_master(fold, container);
    }
    fold.upsert_trainer_port(container);
  }
  if (fold.minor >= 3) inject_elsewhere(fold, torch, nodes, processes);
}

void add_mpi_keys(TrainJobMerge& fold, const TrainerPodSet& set) {
  PodBuilder& maker = fold.maker;
  const OriginId mark = maker.mark("keys with which ranks reach each other");
  const NodeId volume = maker.map(mark);
  maker.put(volume, "name", "mpi-ssh-auth", mark);
  const NodeId secret = maker.map_at(volume, "secret", mark);
  maker.put(secret, "secretName", std::string(fold.name()) + "-mpi-ssh-auth", mark);
  const bool modes = fold.minor >= 3;
  if (modes) maker.put(secret, "defaultMode", maker.number(0400, mark));
  append_to(maker, secret, "items",
            key_to_path(maker, "ssh-privatekey", "id_rsa", modes ? 0640 : -1, mark));
  for (std::string_view file : {"id_rsa.pub", "authorized_keys"}) {
    append_to(maker, secret, "items",
              key_to_path(maker, "ssh-publickey", file, modes ? 0644 : -1, mark));
  }
  upsert(maker, set.pod_spec, "volumes", volume, same_name);
}

void add_mpi_hosts(TrainJobMerge& fold, const TrainerPodSet& set) {
  PodBuilder& maker = fold.maker;
  const OriginId mark = maker.mark("list of the nodes");
  const NodeId volume = maker.map(mark);
  maker.put(volume, "name", "mpi-hostfile", mark);
  const NodeId config = maker.map_at(volume, "configMap", mark);
  maker.put(config, "name", std::string(fold.name()) + "-mpi-hostfile", mark);
  append_to(maker, config, "items", key_to_path(maker, "hostfile", "hostfile", 0444, mark));
  upsert(maker, set.pod_spec, "volumes", volume, same_name);
}

std::int64_t mpi_slots(TrainJobMerge& fold, View mpi) {
  if (const auto given = integer_at(fold.trainer(), "numProcPerNode")) return *given;
  const std::int64_t standard = integer_at(mpi, "numProcPerNode").value_or(1);
  if (fold.minor == 0 || standard != 1) return standard;
  return std::max<std::int64_t>(1, fold.gpus_per_node());
}

void enforce_mpi(TrainJobMerge& fold, View mpi) {
  PodBuilder& maker = fold.maker;
  maker.act_for("trainer");
  const View wanted = get(fold.trainer(), "numNodes");
  TrainerPodSet* nodes = fold.by_name("node");
  if (nodes != nullptr && integer_of(wanted)) {
    const bool launcher_works = is_true(get(mpi, "runLauncherAsNode"));
    nodes->count =
        launcher_works ? std::max<std::int64_t>(*integer_of(wanted) - 1, 1) : *integer_of(wanted);
    nodes->counted_by = wanted;
  }
  const std::int64_t slots = mpi_slots(fold, mpi);
  const std::string_view path = string_at(mpi, "sshAuthMountPath");
  for (TrainerPodSet& set : fold.pod_sets) {
    const bool launches = set.name == "launcher";
    if (set.name != "node" && !launches) continue;
    add_mpi_keys(fold, set);
    if (launches) add_mpi_hosts(fold, set);
    const NodeId container = container_named(maker, set.pod_spec, "node");
    if (container == kNoNode) continue;
    const OriginId keys = maker.mark("keys with which ranks reach each other");
    upsert(maker, container, "volumeMounts",
           mount(maker, "mpi-ssh-auth", path.empty() ? "/root/.ssh" : path, keys), same_mount_path);
    if (!launches) continue;
    upsert(maker, container, "volumeMounts",
           mount(maker, "mpi-hostfile", "/etc/mpi", maker.mark("list of the nodes")),
           same_mount_path);
    const std::string_view implementation = string_at(mpi, "mpiImplementation");
    if (!implementation.empty() && implementation != "OpenMPI") {
      fold.out.failure = "it knows only Open MPI, not `" + std::string(implementation) + "`";
      return;
    }
    fold.upsert_env(container, "OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile",
                    "for Open MPI; 5 ignores it");
    fold.upsert_env(container, "OMPI_MCA_orte_keep_fqdn_hostnames", "true",
                    "for Open MPI; 5 ignores it");
    fold.upsert_env(container, "OMPI_MCA_orte_set_default_slots", std::to_string(slots),
                    "processes of a node; Open MPI 5 ignores it");
    fold.upsert_env(container, "OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10", "for Open MPI");
  }
}

void enforce_jax(TrainJobMerge& fold) {
  fold.maker.act_for("trainer");
  take_num_nodes(fold);
  const NodeId container = fold.trainer() ? fold.trainer_container() : kNoNode;
  if (container == kNoNode) return;
  const TrainerPodSet& set = *fold.by_ancestor("trainer");
  fold.upsert_env(container, "JAX_NUM_PROCESSES", std::to_string(set.count), "number of nodes",
                  set.counted_by);
  fold.upsert_index_env(container, "JAX_PROCESS_ID", "index of the pod");
  fold.upsert_env(container, "JAX_COORDINATOR_ADDRESS",
                  fold.first_node() + ":" + std::to_string(kTrainerPort), "first node");
  fold.upsert_trainer_port(container);
}

void enforce_xgboost(TrainJobMerge& fold) {
  fold.maker.act_for("trainer");
  take_num_nodes(fold);
  const NodeId container = fold.trainer() ? fold.trainer_container() : kNoNode;
  if (container == kNoNode) return;
  const TrainerPodSet& set = *fold.by_ancestor("trainer");
  const std::int64_t workers = set.count * std::max<std::int64_t>(1, fold.gpus_per_node());
  fold.upsert_env(container, "DMLC_TRACKER_URI", fold.first_node(), "first node");
  fold.upsert_env(container, "DMLC_TRACKER_PORT", std::to_string(kTrainerPort),
                  "port of the tracker");
  fold.upsert_index_env(container, "DMLC_TASK_ID", "index of the pod");
  fold.upsert_env(container, "DMLC_NUM_WORKER", std::to_string(workers), "nodes times GPUs of each",
                  set.counted_by);
  fold.upsert_trainer_port(container);
}

void enforce_nothing(TrainJobMerge& fold) {
  take_num_nodes(fold);
  const NodeId container = fold.trainer() ? fold.trainer_container() : kNoNode;
  if (container != kNoNode) fold.upsert_trainer_env(container);
}

}  // namespace

void enforce_ml_policy(TrainJobMerge& fold) {
  const View policy = fold.ml_policy();
  const View torch = get(policy, "torch");
  const View mpi = get(policy, "mpi");
  const View jax = fold.minor >= 2 ? get(policy, "jax") : View();
  if (torch) enforce_torch(fold, torch);
  if (mpi && fold.out.failure.empty()) enforce_mpi(fold, mpi);
  if (jax) enforce_jax(fold);
  if (fold.minor >= 2 && get(policy, "xgboost")) enforce_xgboost(fold);
  if (!torch && !mpi && !jax) enforce_nothing(fold);
  if (fold.minor >= 2 && get(policy, "flux")) enforce_flux(fold);
}

}  // namespace trainyard
