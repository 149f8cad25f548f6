#include "effective/job_pods.h"
#include "effective/pod_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSshPath = "/root/.ssh";
constexpr std::string_view kHostFile = "/etc/mpi/hostfile";
constexpr std::string_view kAttempts = "-o ConnectionAttempts=10";

View replica_of(View job, std::string_view role) {
  return get(get(get(job, "spec"), "mpiReplicaSpecs"), role);
}

std::vector<PodRole> roles(View job) {
  std::vector<PodRole> found;
  for (View each : entries_at(get(job, "spec"), "mpiReplicaSpecs")) {
    const bool launcher = each->key == "Launcher";
    const std::int64_t given = integer_at(each, "replicas").value_or(launcher ? 1 : 0);
    found.push_back({std::string(each->key), launcher ? 1 : given});
  }
  return found;
}

/// What both kinds of pods have: the labels, the names, and the keys to reach each other.
class MpiPod {
 public:
  MpiPod(PodBuilder& maker, View job, View replica)
      : maker_(maker), job_(job), replica_(replica), draft_(draft_pod(maker, pod_template())) {}

  const PodDraft& draft() const { return draft_; }
  bool has_container() { return main() != kNoNode; }
  /// The launcher counts as a worker, too.
  bool launcher_works() const { return is_true(get(spec(), "runLauncherAsWorker")); }
  View spec() const { return get(job_, "spec"); }

  void label(std::string_view role) {
    const OriginId mark = maker_.mark("job and role of the pod");
    const NodeId labels = draft_.labels(maker_, mark);
    const auto put = [&](std::string_view key, std::string_view value) {
      maker_.put(labels, "training.kubeflow.org/" + std::string(key), value, mark);
    };
    put("operator-name", "mpi-operator");
    put("job-name", name_of(job_));
    put("job-role", role);
  }
  void label_index(std::int64_t index) {
    const OriginId mark = maker_.mark(launcher_works() ? "index, the launcher has 0" : "index");
    maker_.put(draft_.labels(maker_, mark), "training.kubeflow.org/replica-index",
               std::to_string(index), mark);
  }

  void host(const std::string& hostname) {
    maker_.put(draft_.spec, "hostname", hostname, maker_.mark("name of the pod"));
    maker_.put(draft_.spec, "subdomain", name_of(job_), maker_.mark("service of the job"));
    const View network = get(maker_.view(draft_.spec), "hostNetwork");
    if (is_true(network)) {
      maker_.put(draft_.spec, "dnsPolicy", "ClusterFirstWithHostNet",
                 maker_.mark("so that names are found on the host's network", network));
    }
  }

  void restart_policy(std::string_view standard) {
    const View given = get(replica_, "restartPolicy");
    std::string_view policy = string_of(given).empty() ? standard : string_of(given);
    if (policy == "ExitCode") policy = "Never";
    maker_.put(draft_.spec, "restartPolicy", policy,
               maker_.mark(string_of(given).empty() ? "default restart policy of the replica"
                                                    : "restart policy of the replica",
                           given));
  }

  void env(std::string_view name, std::string_view value, std::string_view why, View led_by = {}) {
    append_env(maker_, main(), name, value, maker_.mark(why, led_by));
  }

  void add_keys() {
    const View given = get(spec(), "sshAuthMountPath");
    const std::string_view path = string_of(given).empty() ? kSshPath : string_of(given);
    const OriginId mark = maker_.mark("keys with which ranks reach each other", given);
    const NodeId volume = maker_.map(mark);
    maker_.put(volume, "name", "ssh-auth", mark);
    const NodeId secret = maker_.map_at(volume, "secret", mark);
    maker_.put(secret, "secretName", std::string(name_of(job_)) + "-ssh", mark);
    if (path == kSshPath) maker_.put(secret, "defaultMode", maker_.number(0600, mark));
    for (const auto& [key, file] :
         {std::pair("ssh-privatekey", "id_rsa"), std::pair("ssh-publickey", "id_rsa.pub"),
          std::pair("ssh-publickey", "authorized_keys")}) {
      append_to(maker_, secret, "items", key_to_path(maker_, key, file, -1, mark));
    }
    append_to(maker_, draft_.spec, "volumes", volume);
    append_to(maker_, main(), "volumeMounts", mount(maker_, "ssh-auth", path, mark));
  }

  void add_hosts() {
    const OriginId mark = maker_.mark("list of the workers");
    const NodeId volume = maker_.map(mark);
    maker_.put(volume, "name", "mpi-job-config", mark);
    const NodeId config = maker_.map_at(volume, "configMap", mark);
    maker_.put(config, "name", std::string(name_of(job_)) + "-config", mark);
    append_to(maker_, config, "items", key_to_path(maker_, "hostfile", "hostfile", 0444, mark));
    append_to(maker_, config, "items",
              key_to_path(maker_, "discover_hosts.sh", "discover_hosts.sh", 0555, mark));
    append_to(maker_, draft_.spec, "volumes", volume);
    append_to(maker_, main(), "volumeMounts", mount(maker_, "mpi-job-config", "/etc/mpi", mark));
  }

  NodeId main() {
    const std::vector<NodeId> all = containers(maker_, draft_.spec);
    return all.empty() ? kNoNode : all.front();
  }

 private:
  View pod_template() const { return get(replica_, "template"); }

  PodBuilder& maker_;
  View job_;
  View replica_;
  PodDraft draft_;
};

void add_launcher_env(MpiPod& pod) {
  pod.env("K_MPI_JOB_ROLE", "launcher", "role of the pod");
  const View given = get(pod.spec(), "slotsPerWorker");
  const std::string slots = std::to_string(integer_of(given).value_or(1));
  const std::string_view wanted = string_at(pod.spec(), "mpiImplementation");
  if (wanted.empty() || wanted == "OpenMPI") {
    pod.env("OMPI_MCA_orte_keep_fqdn_hostnames", "true", "for Open MPI; 5 ignores it");
    pod.env("OMPI_MCA_orte_default_hostfile", kHostFile, "for Open MPI; 5 ignores it");
    pod.env("OMPI_MCA_plm_rsh_args", kAttempts, "for Open MPI");
    pod.env("OMPI_MCA_orte_set_default_slots", slots, "slotsPerWorker; Open MPI 5 ignores it",
            given);
  } else if (wanted == "Intel") {
    pod.env("I_MPI_HYDRA_HOST_FILE", kHostFile, "for Intel MPI");
    pod.env("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", kAttempts, "for Intel MPI");
    pod.env("I_MPI_PERHOST", slots, "slotsPerWorker", given);
  } else if (wanted == "MPICH") {
    pod.env("HYDRA_HOST_FILE", kHostFile, "for MPICH");
    pod.env("HYDRA_LAUNCH_EXTRA_ARGS", kAttempts, "for MPICH");
  }
  if (pod.launcher_works()) return;
  pod.env("NVIDIA_VISIBLE_DEVICES", "", "no GPUs in a launcher");
  pod.env("NVIDIA_DRIVER_CAPABILITIES", "", "no GPUs in a launcher");
}

EffectivePod launcher(PodBuilder& maker, View job, KubernetesVersion version) {
  MpiPod pod(maker, job, replica_of(job, "Launcher"));
  EffectivePod result;
  if (!pod.has_container()) {
    result.failure = "the launcher has no container";
    return result;
  }
  const std::string name = std::string(name_of(job)) + "-launcher";
  pod.label("launcher");
  if (pod.launcher_works()) pod.label_index(0);
  pod.host(name);
  add_launcher_env(pod);
  pod.add_keys();
  pod.restart_policy("OnFailure");
  pod.add_hosts();

  // The launcher is a Job, whose controller makes the pod.
  const OriginId mark = maker.mark("name of the job");
  const NodeId owner = maker.map(mark);
  const NodeId metadata = maker.map_at(owner, "metadata", mark);
  maker.put(metadata, "name", name, mark);
  maker.put_copy(metadata, "namespace", get(get(job, "metadata"), "namespace"));
  maker.put(maker.map_at(owner, "spec", mark), "template", maker.copy(maker.view(pod.draft().pod)));
  return job_pod(maker, maker.view(owner), 0, version);
}

EffectivePod worker(PodBuilder& maker, View job, std::int64_t index) {
  MpiPod pod(maker, job, replica_of(job, "Worker"));
  EffectivePod result;
  if (!pod.has_container()) {
    result.failure = "the worker has no container";
    return result;
  }
  const View metadata = get(job, "metadata");
  const std::string name = std::string(name_of(job)) + "-worker-" + std::to_string(index);
  pod.label("worker");
  pod.label_index(pod.launcher_works() ? index + 1 : index);
  pod.host(name);
  const OriginId search = maker.mark("so that ranks find each other by their bare names");
  const NodeId dns = maker.map_at(pod.draft().spec, "dnsConfig", search);
  append_to(maker, dns, "searches",
            maker.text(std::string(name_of(job)) + "." + std::string(namespace_of(job)) +
                           ".svc.cluster.local",
                       search));
  pod.restart_policy("Never");
  const View main = maker.view(pod.main());
  if (!has_items(get(main, "command")) && !has_items(get(main, "args"))) {
    const OriginId mark = maker.mark("default of a worker");
    const NodeId command = maker.list(mark);
    maker.tree.append(command, maker.text("/usr/sbin/sshd", mark));
    maker.tree.append(command, maker.text("-De", mark));
    maker.put(pod.main(), "command", command);
  }
  pod.env("K_MPI_JOB_ROLE", "worker", "role of the pod");
  pod.add_keys();

  name_pod(maker, pod.draft(), name, get(metadata, "namespace"),
           maker.mark("name of the job, role and index", get(metadata, "name")));
  result.root = pod.draft().pod;
  result.name = result.hostname = name;
  result.address = name + "." + std::string(name_of(job));
  return result;
}

EffectivePod pod(PodBuilder& maker, View job, std::string_view role, std::int64_t index,
                 KubernetesVersion version) {
  maker.act_for("mpi-operator");
  if (role == "Launcher") return launcher(maker, job, version);
  if (role == "Worker") return worker(maker, job, index);
  EffectivePod result;
  result.failure = "the MPI Operator makes no pods for `" + std::string(role) + "`";
  return result;
}

}  // namespace

constinit const PodKind kMpiPods = {"kubeflow.org",
                                    "MPIJob",
                                    "v2beta1",
                                    "mpi-operator",
                                    "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go",
                                    roles,
                                    pod};

}  // namespace trainyard
