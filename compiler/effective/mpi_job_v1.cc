#include "effective/pod_parts.h"
#include "effective/pods.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kConfigPath = "/etc/mpi";
constexpr std::string_view kConfigVolume = "mpi-job-config";
constexpr std::string_view kToolPath = "/opt/kube";
constexpr std::string_view kToolVolume = "mpi-job-kubectl";
constexpr std::string_view kRemoteShell = "/etc/mpi/kubexec.sh";
constexpr std::int64_t kScriptMode = 0555;
constexpr std::int64_t kTextMode = 0444;

View replica_of(View job, std::string_view role) {
  return get(get(get(job, "spec"), "mpiReplicaSpecs"), role);
}

std::vector<PodRole> roles(View job) {
  std::vector<PodRole> found;
  for (View each : entries_at(get(job, "spec"), "mpiReplicaSpecs")) {
    const bool launcher = each->key == "Launcher";
    const std::int64_t given = integer_at(each, "replicas").value_or(0);
    found.push_back({std::string(each->key), launcher ? 1 : given});
  }
  return found;
}

/// A launcher with GPUs counts as a host of ranks, too.
bool has_gpus(View replica) {
  for (View container : items_at(get(get(replica, "template"), "spec"), "containers")) {
    for (View limit : entries_at(get(container, "resources"), "limits")) {
      if (limit->key.find("gpu") != std::string_view::npos) return true;
    }
  }
  return false;
}

/// What launcher and workers have: names, labels, the restart policy, and the scripts of the job.
class MpiPod {
 public:
  MpiPod(PodBuilder& maker, View job, std::string_view role)
      : maker_(maker),
        job_(job),
        replica_(replica_of(job, role)),
        draft_(draft_pod(maker, get(replica_, "template"))) {
    const std::vector<NodeId> all = containers(maker, draft_.spec);
    if (!all.empty()) main_ = all.front();
  }

  bool has_container() const { return main_ != kNoNode; }

  EffectivePod launcher() {
    name(std::string(name_of(job_)) + "-launcher", "launcher");
    maker_.put(draft_.labels(maker_, mark_), "training.kubeflow.org/job-role", "master", mark_);
    if (string_at(maker_.view(draft_.spec), "serviceAccountName").empty()) {
      maker_.put(draft_.spec, "serviceAccountName", name_,
                 maker_.mark("account that may start processes in the workers"));
    }
    bring_tool();
    environment();
    mount_both(main_);
    restart_policy();
    const OriginId mark = maker_.mark("kubectl, by which ranks are started");
    const NodeId tool = maker_.map(mark);
    maker_.put(tool, "name", kToolVolume, mark);
    maker_.map_at(tool, "emptyDir", mark);
    append_to(maker_, draft_.spec, "volumes", tool);
    config_volume(
        {{"kubexec.sh", kScriptMode}, {"hostfile", kTextMode}, {"discover_hosts.sh", kScriptMode}});
    return made();
  }

  EffectivePod worker(std::int64_t index) {
    name(std::string(name_of(job_)) + "-worker-" + std::to_string(index), "worker");
    maker_.put(draft_.labels(maker_, mark_), "training.kubeflow.org/replica-index",
               std::to_string(index), mark_);
    restart_policy();
    if (!has_items(get(maker_.view(main_), "command"))) {
      const OriginId mark = maker_.mark("default of a worker: ranks are started from outside");
      for (const auto& [key, word] : {std::pair("command", "sleep"), std::pair("args", "365d")}) {
        const NodeId words = maker_.list(mark);
        maker_.tree.append(words, maker_.text(word, mark));
        maker_.put(main_, key, words);
      }
    }
    append_to(maker_, main_, "volumeMounts",
              mount(maker_, kConfigVolume, kConfigPath, maker_.mark("scripts of the job")));
    config_volume({{"kubexec.sh", kScriptMode}});
    return made();
  }

 private:
  void name(std::string name, std::string_view role) {
    name_ = std::move(name);
    const View metadata = get(job_, "metadata");
    name_pod(maker_, draft_, name_, get(metadata, "namespace"),
             maker_.mark("name of the job and role", get(metadata, "name")));
    mark_ = maker_.mark("job and role of the pod");
    const NodeId labels = draft_.labels(maker_, mark_);
    const auto put = [&](std::string_view key, std::string_view value) {
      maker_.put(labels, "training.kubeflow.org/" + std::string(key), value, mark_);
    };
    put("operator-name", "mpijob-controller");
    put("job-name", name_of(job_));
    put("replica-type", role);
  }

  void restart_policy() {
    const View given = get(replica_, "restartPolicy");
    const bool stated = !string_of(given).empty();
    const bool by_code = string_of(given) == "ExitCode";
    maker_.put(draft_.spec, "restartPolicy",
               stated && !by_code ? string_of(given) : std::string_view("Never"),
               maker_.mark(stated ? "restart policy of the replica"
                                  : "default restart policy of the replica",
                           given));
  }

  void mount_both(NodeId container) {
    append_to(
        maker_, container, "volumeMounts",
        mount(maker_, kToolVolume, kToolPath, maker_.mark("kubectl, by which ranks are started")));
    append_to(maker_, container, "volumeMounts",
              mount(maker_, kConfigVolume, kConfigPath, maker_.mark("scripts of the job")));
  }

  /// Puts kubectl where the launcher finds it.
  void bring_tool() {
    const OriginId mark = maker_.mark("brings kubectl");
    const NodeId made = maker_.map(mark);
    maker_.put(made, "name", "kubectl-delivery", mark);
    maker_.put(made, "image", "kubeflow/kubectl-delivery:latest", mark);
    maker_.put(made, "imagePullPolicy", "IfNotPresent", mark);
    append_env(maker_, made, "TARGET_DIR", kToolPath, mark);
    append_env(maker_, made, "NAMESPACE", namespace_of(job_), mark);
    mount_both(made);
    const NodeId resources = maker_.map_at(made, "resources", mark);
    for (std::string_view kind : {"requests", "limits"}) {
      const NodeId amounts = maker_.map_at(resources, kind, mark);
      maker_.put(amounts, "cpu", "100m", mark);
      maker_.put(amounts, "memory", "512Mi", mark);
      maker_.put(amounts, "ephemeral-storage", "5Gi", mark);
    }
    append_to(maker_, draft_.spec, "initContainers", made);
  }

  void environment() {
    const auto add = [&](std::string_view name, std::string_view value, std::string_view why) {
      append_env(maker_, main_, name, value, maker_.mark(why));
    };
    const auto has = [&](std::string_view name) {
      for (View each : items_at(maker_.view(main_), "env")) {
        if (string_at(each, "name") == name) return true;
      }
      return false;
    };
    const bool bootstrap = has("I_MPI_HYDRA_BOOTSTRAP");
    const bool command = has("I_MPI_HYDRA_BOOTSTRAP_EXEC");
    add("OMPI_MCA_plm_rsh_agent", kRemoteShell, "starts ranks by kubectl");
    add("OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile", "for Open MPI; 5 ignores it");
    if (!has_gpus(replica_)) {
      add("NVIDIA_VISIBLE_DEVICES", "", "no GPUs in a launcher");
      add("NVIDIA_DRIVER_CAPABILITIES", "", "no GPUs in a launcher");
    }
    if (!bootstrap) add("I_MPI_HYDRA_BOOTSTRAP", "rsh", "for Intel MPI");
    if (!command) add("I_MPI_HYDRA_BOOTSTRAP_EXEC", kRemoteShell, "for Intel MPI");
  }

  void config_volume(std::initializer_list<std::pair<std::string_view, std::int64_t>> files) {
    const OriginId mark = maker_.mark("scripts of the job");
    const NodeId volume = maker_.map(mark);
    maker_.put(volume, "name", kConfigVolume, mark);
    const NodeId config = maker_.map_at(volume, "configMap", mark);
    maker_.put(config, "name", std::string(name_of(job_)) + "-config", mark);
    for (const auto& [file, mode] : files) {
      append_to(maker_, config, "items", key_to_path(maker_, file, file, mode, mark));
    }
    append_to(maker_, draft_.spec, "volumes", volume);
  }

  EffectivePod made() const {
    EffectivePod result;
    result.root = draft_.pod;
    result.name = result.hostname = name_;
    return result;
  }

  PodBuilder& maker_;
  View job_;
  View replica_;
  PodDraft draft_;
  NodeId main_ = kNoNode;
  OriginId mark_ = kNoOrigin;
  std::string name_;
};

EffectivePod pod(PodBuilder& maker, View job, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  maker.act_for("training-operator");
  EffectivePod result;
  if (role != "Launcher" && role != "Worker") {
    result.failure = "the Training Operator makes no pods for `" + std::string(role) + "`";
    return result;
  }
  MpiPod pod(maker, job, role);
  if (!pod.has_container()) {
    result.failure = "`" + std::string(role) + "` has no container";
    return result;
  }
  return role == "Launcher" ? pod.launcher() : pod.worker(index);
}

}  // namespace

constinit const PodKind kMpiPodsV1 = {
    "kubeflow.org",
    "MPIJob",
    "v1",
    "training-operator",
    "kubeflow/training-operator pkg/controller.v1/mpi/mpijob_controller.go",
    roles,
    pod};

}  // namespace trainyard
