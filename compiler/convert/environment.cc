#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "convert/generated_mpirun.h"
#include "convert/job_metadata.h"
#include "convert/numbered_tasks.h"
#include "convert/pod_template_reader.h"
#include "convert/read_tf_config.h"
#include "convert/rendezvous.h"
#include "convert/role_values.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// Where controllers write the index of a pod.
constexpr auto kIndexFields = std::to_array<std::string_view>(
    {"metadata.annotations['batch.kubernetes.io/job-completion-index']",
     "metadata.labels['batch.kubernetes.io/job-completion-index']",
     "metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']",
     "metadata.labels['apps.kubernetes.io/pod-index']",
     "metadata.annotations['jobset.sigs.k8s.io/job-global-index']",
     "metadata.labels['jobset.sigs.k8s.io/job-global-index']",
     "metadata.annotations['volcano.sh/task-index']", "metadata.labels['volcano.sh/task-index']",
     "metadata.labels['training.kubeflow.org/replica-index']"});

constexpr std::string_view kAllWorkers = "DMLC_NUM_WORKER";

/// The index of a pod in its replicated job, where each pod is a Job.
constexpr std::string_view kJobIndexField = "metadata.annotations['jobset.sigs.k8s.io/job-index']";

/// What a rendezvous variable says, by the option of torchrun that says the same.
struct Meaning {
  std::string_view variable;
  std::string_view option;
};
constexpr Meaning kMeanings[] = {
    {"MASTER_ADDR", "master-addr"},
    {"MASTER_PORT", "master-port"},
    {"NNODES", "nnodes"},
    {"NPROC_PER_NODE", "nproc-per-node"},
    {"NODE_RANK", "node-rank"},
    {"PET_NNODES", "nnodes"},
    {"PET_NPROC_PER_NODE", "nproc-per-node"},
    {"PET_NODE_RANK", "node-rank"},
    {"PET_MASTER_ADDR", "master-addr"},
    {"PET_MASTER_PORT", "master-port"},
    {"PET_RDZV_BACKEND", "rdzv-backend"},
    {"PET_RDZV_ENDPOINT", "rdzv-endpoint"},
    {"PET_RDZV_ID", "rdzv-id"},
    {"PET_RDZV_CONF", "rdzv-conf"},
    {"RANK", "node-rank"},
    {"LOCAL_RANK", "local-rank"},
    {"WORLD_SIZE", "world-size"},
    {"NUM_GPU_PER_NODE", "nproc-per-node"},
    {"JAX_COORDINATOR_ADDRESS", "rdzv-endpoint"},
    {"JAX_COORDINATOR_IP", "master-addr"},
    {"JAX_COORDINATOR_PORT", "master-port"},
    {"JAX_NUM_PROCESSES", "nnodes"},
    {"JAX_PROCESS_ID", "node-rank"},
    {"DMLC_TRACKER_URI", "master-addr"},
    {"DMLC_TRACKER_PORT", "master-port"},
    {"DMLC_TASK_ID", "node-rank"},
    {"DMLC_NUM_WORKER", "world-size"},
    {"PADDLE_JOB_ID", "rdzv-id"},
    {"PADDLE_NNODES", "nnodes"},
    {"PADDLE_MASTER", "rdzv-endpoint"},
    {"NODE_IP", "address"},
    {"TF_CONFIG", "cluster"},
    {"TASK_INDEX", "task-index"},
};

/// The names in `$(NAME)` of a value.
std::vector<std::string_view> mentions(std::string_view value) {
  std::vector<std::string_view> names;
  for (std::size_t at = value.find("$("); at != value.npos; at = value.find("$(", at + 2)) {
    const std::size_t end = value.find(')', at);
    if (end != value.npos) names.push_back(value.substr(at + 2, end - at - 2));
  }
  return names;
}

class EnvironmentReader {
 public:
  explicit EnvironmentReader(PodParts& parts) : parts_(parts), job_(parts.job), role_(parts.role) {
    for (View each : items_at(parts.main, "env")) {
      const std::string_view name = string_at(each, "name");
      if (!name.empty()) variables_.push_back(each);
    }
  }

  void read() {
    drop_replaced();
    if (job_.ours && role_.name == "launcher") leave_to_mpirun();
    if (job_.framework.empty()) job_.framework = guess_framework();
    if (job_.ours && !job_.by_mpirun && job_.roles.size() == 1 && is_pytorch() &&
        !has_usual_of_pytorch()) {
      job_.framework = "none";
    }
    if (job_.ours && string_at(job_.job, "kind") == "JAXJob" && job_.roles.size() == 1 &&
        job_.meeting(role_) > 1 && !variable("JAX_PROCESS_ID")) {
      job_.framework = "none";
    }
    if (starts_paddle_bare()) job_.framework = "none";
    if (job_.ours && string_at(job_.job, "kind") == "XGBoostJob" && job_.meeting(role_) > 1 &&
        get(parts_.main, "command") && !variable("DMLC_TRACKER_URI")) {
      job_.framework = "none";
    }
    // The number of processes first: others are held against it.
    for (View each : variables_) {
      if (meaning(string_at(each, "name")) == "nproc-per-node") one(each);
    }
    for (View each : variables_) {
      if (meaning(string_at(each, "name")) != "nproc-per-node") one(each);
    }
    if (const View from = get(parts_.main, "envFrom")) {
      if (has_items(from)) job_.carry(parts_.fields(), "envFrom", from);
    }
  }

 private:
  static std::string_view meaning(std::string_view name) {
    const auto found = std::ranges::find(kMeanings, name, &Meaning::variable);
    return found == std::end(kMeanings) ? std::string_view() : found->option;
  }

  View variable(std::string_view name) const {
    for (View each : variables_) {
      if (string_at(each, "name") == name) return each;
    }
    return {};
  }

  /// Of several variables with one name the last counts.
  void drop_replaced() {
    std::vector<View> kept;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const auto same = [&](View later) {
        return string_at(later, "name") == string_at(variables_[i], "name");
      };
      if (std::ranges::any_of(std::span(variables_).subspan(i + 1), same)) {
        settle(variables_[i], Fate::Derived);
      } else {
        kept.push_back(variables_[i]);
      }
    }
    variables_ = std::move(kept);
  }

  /// What tells mpirun where the hosts are, and what the launcher passes on to them.
  void leave_to_mpirun() {
    std::vector<View> kept;
    bool of_nodes = false;  // what follows the variables that say where the hosts are
    for (View each : variables_) {
      const std::string_view name = string_at(each, "name");
      const View known = named(job_.nodes, name);
      const bool passed = known && same(known, each);
      if (is_host_variable(name)) of_nodes = true;
      if (passed && of_nodes) job_.passed.insert(name);
      if (passed || is_host_variable(name)) {
        settle(each, Fate::Derived);
      } else {
        kept.push_back(each);
      }
    }
    variables_ = std::move(kept);
  }

  static View named(View container, std::string_view name) {
    for (View each : items_at(container, "env")) {
      if (string_at(each, "name") == name) return each;
    }
    return {};
  }
  static bool same(View a, View b) { return equal(a.tree(), a.id(), b.tree(), b.id()); }

  std::string_view guess_framework() const {
    if (variable("JAX_COORDINATOR_ADDRESS") || variable("JAX_COORDINATOR_IP")) return "jax";
    if (variable("DMLC_TRACKER_URI")) return "xgboost";
    if (variable("TF_CONFIG") && read_tf_config(get(variable("TF_CONFIG"), "value"))) {
      return "tensorflow";
    }
    if (variable("NUM_GPU_PER_NODE") && variable("WORLD_SIZE")) return "tao";
    if (role_.launcher != "none") return "pytorch";
    for (View each : variables_) {
      if (string_at(each, "name").starts_with("PET_")) return "pytorch";
    }
    const bool counts = variable("WORLD_SIZE") || (job_.ours && variable("NPROC_PER_NODE"));
    return variable("MASTER_ADDR") && counts ? "pytorch" : "none";
  }

  /// Whether there is a variable that a build gives to every such job, which no controller sets.
  bool has_usual_of_pytorch() const {
    if (job_.meeting(role_) > 1) return static_cast<bool>(variable("NPROC_PER_NODE"));
    const bool started_alone = role_.launcher == "none" && processes() == 1;
    return !started_alone || variable("LOCAL_RANK");
  }

  /// Workers of Paddle without its launcher, which alone would tell them their ranks.
  bool starts_paddle_bare() const {
    return string_at(job_.job, "kind") == "PaddleJob" && job_.framework == "paddle" &&
           job_.roles.size() == 1 && role_.name == "worker" && job_.meeting(role_) > 1 &&
           role_.program == ProgramKind::Script && role_.launcher == "none";
  }

  bool is_pytorch() const { return is_one_of(job_.framework, {"pytorch", "nemo"}); }

  /// Whether a build gives the variable to the pods, in a plain Job.
  bool is_computed(std::string_view name) const {
    const bool many = job_.meeting(role_) > 1;
    const bool common =
        is_one_of(name, {"MASTER_ADDR", "MASTER_PORT", "NNODES", "NPROC_PER_NODE", "NODE_RANK"});
    if (job_.framework == "jax") {
      const bool of_jax = name.starts_with("JAX_") || is_one_of(name, {"NNODES", "NODE_RANK"});
      return (many || job_.by_mpirun) && of_jax;
    }
    if (job_.framework == "xgboost") {
      return many && name.starts_with("DMLC_");
    }
    if (job_.framework == "tao") {
      return many && (common || is_one_of(name, {"WORLD_SIZE", "NUM_GPU_PER_NODE"}));
    }
    if (job_.framework == "paddle") {
      return many && (name.starts_with("PADDLE_") || is_one_of(name, {"NODE_RANK", "NODE_IP"}));
    }
    if (job_.framework == "tensorflow") {
      const View config = get(variable("TF_CONFIG"), "value");
      return is_one_of(name, {"TF_CONFIG", "TASK_INDEX"}) && config && read_tf_config(config);
    }
    if (!is_pytorch()) return false;
    if ((common && many) || job_.by_mpirun) return true;
    const bool own_command = role_.program != ProgramKind::Script;
    if (name.starts_with("PET_") && (role_.launcher == "torchrun" || own_command)) {
      return many || is_one_of(name, {"PET_NNODES", "PET_NPROC_PER_NODE"});
    }
    const bool one_process = role_.launcher == "none" && processes() == 1;
    if (!one_process) return false;
    return is_one_of(name, {"WORLD_SIZE", "RANK", "LOCAL_RANK"}) ||
           (!many && is_one_of(name, {"MASTER_ADDR", "MASTER_PORT"}));
  }

  std::int64_t processes() const {
    return role_.processes != 0 ? role_.processes : std::max<std::int64_t>(role_.gpus, 1);
  }

  /// The number of the pod's group, as a build gives it to a program of several groups.
  bool is_group(View each) const {
    const View field = get(get(get(each, "valueFrom"), "fieldRef"), "fieldPath");
    return job_.ours && job_.has_programs && string_at(each, "name") == "ROLE_GROUP" &&
           string_of(field) == "metadata.annotations['jobset.sigs.k8s.io/job-index']";
  }

  void one(View each) {
    const std::string_view name = string_at(each, "name");
    if (job_.injects(name) || name == kRankZeroVariable || is_group(each)) {
      return settle(each, Fate::Derived);
    }
    const View value = get(each, "value");
    const std::string_view option = meaning(name);
    if (!option.empty() && is_computed(name)) return computed(each, option);
    if (job_.ours && name == "CHECKPOINT_DIR" && value) {
      say_of_program(job_, {"lifecycle", "checkpoint", "path"}, job_.maker.copy(value), value);
      return settle(each, Fate::Derived);
    }
    if (is_interface(name)) return interface(each, value);
    if (get(each, "valueFrom") || mentions_kept(value)) return from_elsewhere(each);
    literal(each, value);
  }

  void computed(View each, std::string_view option) {
    const View value = get(each, "value");
    const View field = get(get(get(each, "valueFrom"), "fieldRef"), "fieldPath");
    const std::string_view text = value ? value->text : std::string_view();
    std::optional<std::string> wrong;
    if (option == "task-index" && field) {
      const bool index = std::ranges::find(kIndexFields, field->text) != kIndexFields.end() ||
                         field->text == kJobIndexField;
      if (!index) wrong = "it is the index of the pod in its role";
    } else if (option == "node-rank" && field) {
      const bool index = std::ranges::find(kIndexFields, field->text) != kIndexFields.end();
      if (!index) wrong = "the rank of a pod is its index";
    } else if (option == "address" && field) {
      if (field->text != "status.podIP") wrong = "it is the address of the pod";
    } else if (field || !value) {
      wrong = "a build computes it";
    } else if (option == "cluster") {
      wrong = cluster(value);
    } else if (option == "local-rank") {
      if (text != "0") wrong = "the only process of a pod has the local rank 0";
    } else if (string_at(each, "name") == kAllWorkers && !is_variable(text)) {
      // Held against all roles when these are known.
    } else if (option == "world-size" ||
               (job_.by_mpirun && job_.framework == "jax" && option == "nnodes")) {
      wrong = world_size(text);
    } else if (option == "rdzv-conf") {
      wrong = rendezvous_timeout(text);
    } else {
      wrong = settle_rendezvous_option(job_, role_, option, text);
    }
    if (!wrong && option == "cluster") return job_.ledger.derived(get(each, "name"));
    if (!wrong && string_at(each, "name") == kAllWorkers) {
      job_.worker_counts.push_back(value);
      return job_.ledger.derived(get(each, "name"));
    }
    if (!wrong) return settle(each, Fate::Derived);
    job_.ledger.lost(each,
                     "a build computes `" + string_at_text(each) + "`, and not as here: " + *wrong,
                     "`nodes`, `processesPerNode` and `run.rendezvous` decide how ranks meet");
  }

  static std::string string_at_text(View each) { return std::string(string_at(each, "name")); }

  /// The hosts of the other roles are held against these when all roles are known.
  std::optional<std::string> cluster(View value) {
    const auto config = read_tf_config(value);
    if (!config) return "it is no cluster of TensorFlow";
    job_.tf_configs.push_back({value, role_.name});
    const std::string_view host = config->cluster.front().hosts.front();
    const std::size_t colon = host.rfind(':');
    if (colon == host.npos) return std::nullopt;
    return settle_rendezvous_option(job_, role_, "master-port", host.substr(colon + 1));
  }

  std::optional<std::string> world_size(std::string_view text) const {
    const std::int64_t pods = job_.meeting(role_);
    if (is_variable(text) || text == std::to_string(pods)) return std::nullopt;
    const bool counts_processes = is_pytorch() || is_one_of(job_.framework, {"jax", "xgboost"});
    if (counts_processes && text == std::to_string(pods * processes())) return std::nullopt;
    return "there are " + std::to_string(pods) + (pods == 1 ? " pod" : " pods");
  }

  /// `timeout=N` of the static backend, or both timeouts of c10d.
  std::optional<std::string> rendezvous_timeout(std::string_view text) {
    for (std::string_view key : {"join_timeout=", "timeout="}) {
      if (!text.starts_with(key)) continue;
      const std::string_view rest = text.substr(key.size());
      const std::string seconds(rest.substr(0, rest.find(',')));
      const bool joins = key == "join_timeout=";
      if (joins ? rest != seconds + ",read_timeout=" + seconds : rest != seconds) break;
      if (seconds.empty() || seconds.size() > 9 ||
          seconds.find_first_not_of("0123456789") != seconds.npos) {
        break;
      }
      if (joins && seconds == "600") return std::nullopt;
      const NodeId run = job_.map_at(parts_.fields(), "run");
      job_.maker.put(job_.map_at(run, "rendezvous"), "timeout",
                     job_.text(duration_text(std::stoll(seconds))));
      return std::nullopt;
    }
    return "only a timeout is written";
  }

  /// One interface for both libraries is `network.interface`.
  bool is_interface(std::string_view name) const {
    if (!is_one_of(name, {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"})) return false;
    const View nccl = get(variable("NCCL_SOCKET_IFNAME"), "value");
    const View gloo = get(variable("GLOO_SOCKET_IFNAME"), "value");
    return nccl && gloo && nccl->text == gloo->text && !nccl->text.empty() && nccl.id() < gloo.id();
  }

  void interface(View each, View value) {
    settle(each, Fate::Derived);
    if (string_at(each, "name") != "NCCL_SOCKET_IFNAME") return;
    // The launcher of mpirun hands it to the others.
    if (job_.by_mpirun) return job_.share_copy({"network", "interface"}, value);
    say_of_role(job_, role_.fields, {"network", "interface"}, job_.maker.copy(value), value,
                [this_job = &job_, value](NodeId fields) {
                  const NodeId env = this_job->map_at(fields, "env");
                  for (std::string_view name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
                    this_job->carry(env, name, value);
                  }
                });
  }

  bool mentions_kept(View value) const {
    if (!value) return false;
    const auto names = mentions(value->text);
    return std::ranges::any_of(names, [&](std::string_view name) { return kept_.contains(name); });
  }

  void literal(View each, View value) {
    const std::string_view name = string_at(each, "name");
    const std::string_view text = value ? value->text : std::string_view();
    if (looks_like_credential(name, text)) {
      put_secret_to_name(job_, parts_.fields(), name);
      return job_.ledger.lost(each, "its value looks like a credential, which a spec must not hold",
                              "put the value into a Secret, and name that in `secretEnv` where `" +
                                  std::string(kSecretToName) + "` stands");
    }
    const bool is_known =
        !job_.by_mpirun || role_.name != "worker" || job_.exported.contains(std::string(name));
    if (!is_known) return in_pod(each);
    const NodeId env = job_.map_at(parts_.fields(), "env");
    job_.maker.put(env, name, value ? job_.text(text) : job_.text(""));
    settle(each, Fate::Carried);
  }

  /// What only the pod has, and its ranks do not.
  void in_pod(View each) {
    job_.maker.tree.append(job_.list_at(parts_.own_container(), "env"), job_.maker.copy(each));
    job_.ledger.carried(each);
  }

  void from_elsewhere(View each) {
    const std::string_view name = string_at(each, "name");
    const View secret = get(get(each, "valueFrom"), "secretKeyRef");
    if (!secret || string_at(secret, "name").empty()) {
      kept_.insert(name);
      return in_pod(each);
    }
    const NodeId entry = job_.map_at(job_.map_at(parts_.fields(), "secretEnv"), name);
    job_.carry(entry, "name", get(secret, "name"));
    const View key = get(secret, "key");
    if (key && key->text != name) job_.carry(entry, "key", key);
    if (is_true(get(secret, "optional"))) job_.maker.put(entry, "optional", job_.truth(true));
    settle(each, Fate::Carried);
  }

  /// All that a variable can have; Kubernetes ignores everything else there.
  void settle(View each, Fate fate) {
    const View from = get(each, "valueFrom");
    const auto mark = [&](View value) {
      fate == Fate::Carried ? job_.ledger.carried(value) : job_.ledger.derived(value);
    };
    for (std::string_view key : {"name", "value"}) mark(get(each, key));
    for (std::string_view key : {"fieldPath", "apiVersion"}) mark(get(get(from, "fieldRef"), key));
    for (std::string_view key : {"name", "key", "optional"}) {
      mark(get(get(from, "secretKeyRef"), key));
    }
  }

  PodParts& parts_;
  Conversion& job_;
  ConvertedRole& role_;
  std::vector<View> variables_;
  std::set<std::string_view> kept_;  // that only `pod` can say
};

}  // namespace

void read_environment(PodParts& parts) {
  EnvironmentReader(parts).read();
}

}  // namespace trainyard
