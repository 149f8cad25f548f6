#include "driver/rehearse/rehearsed_pod.h"

#include <algorithm>
#include <charconv>

#include "driver/picture/drawn_pod.h"
#include "driver/rehearse/rehearsed_volumes.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Variables = std::map<std::string, std::string>;

/// Of the user's environment: what tells other launchers where and which rank they are.
constexpr std::string_view kLaunchVariables[] = {
    "MASTER_", "WORLD_SIZE",    "RANK",  "LOCAL_",    "NODE_RANK", "NNODES",     "NPROC_",
    "PET_",    "TORCHELASTIC_", "JAX_",  "TF_CONFIG", "DMLC_",     "PADDLE_",    "SLURM_",
    "OMPI_",   "PMI",           "NCCL_", "GLOO_",     "UCX_",      "KUBERNETES_"};

/// Frameworks find no GPU of this machine: the job has fewer, or others, in the cluster.
constexpr std::string_view kDeviceVariables[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"};

class PodMaker {
 public:
  PodMaker(const RehearsalWorld& world, View pod, const EffectivePod& made, std::size_t number,
           std::vector<std::string>& differences)
      : world_(world),
        pod_(pod),
        container_(main_container(pod)),
        number_(number),
        differences_(differences) {
    result_.hostname = apart(made.hostname.empty() ? made.name : made.hostname);
    name_ = apart(made.name);
    space_ = known_here(namespace_of(pod));
    result_.address =
        "10.99." + std::to_string(number / 250) + "." + std::to_string(number % 250 + 1);
    add_names(made.address);
  }

  RehearsedPod make() {
    const Variables variables = read_variables();
    const View spec = get(pod_, "spec");
    result_.command = words("command", variables);
    std::vector<std::string> arguments = words("args", variables);
    result_.working_directory = string_at(container_, "workingDir");
    if (const auto& image = world_.image) take_image(*image, arguments);
    std::ranges::move(arguments, std::back_inserter(result_.command));
    result_.meeting = meeting_at(expanded(known_here(meeting_of(pod_)), variables));
    Variables all = surrounding_variables();
    all.insert_or_assign("HOSTNAME", result_.hostname);
    for (const auto& [name, value] : variables) all.insert_or_assign(name, value);
    // Ray counts the devices that its command line says, and sets the variable itself.
    const bool is_ray = variables.contains("RAY_CLUSTER_NAME");
    for (std::string_view name : kDeviceVariables) {
      if (!is_ray) all.insert_or_assign(std::string(name), "");
    }
    for (const auto& [name, value] : all) result_.environment.push_back(name + "=" + value);
    result_.mounts = rehearsed_mounts(world_.inventory, world_.objects, space_, spec, container_,
                                      world_.folders, differences_);
    find_awaited(variables);
    tell_left_out(spec);
    prepare_ssh(spec);
    return std::move(result_);
  }

 private:
  std::vector<std::string> words(std::string_view key, const Variables& variables) const {
    std::vector<std::string> result;
    for (View each : items_at(container_, key)) {
      result.push_back(expanded(known_here(string_of(each)), variables));
    }
    return result;
  }

  /// A command of the pod replaces both of the image; arguments replace those of the image.
  void take_image(const ImageFacts& image, std::vector<std::string>& arguments) {
    result_.root = image.root;
    if (result_.working_directory.empty()) result_.working_directory = image.working_directory;
    if (!result_.command.empty()) return;
    result_.command = image.entrypoint;
    if (arguments.empty()) arguments = image.command;
  }

  /// Those of the image, or of the user without what other launchers set.
  Variables surrounding_variables() const {
    if (world_.image) {
      Variables all = world_.image->environment;
      all.emplace("HOME", "/root");
      all.emplace("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
      return all;
    }
    Variables all;
    for (const auto& [name, value] : world_.environment) {
      const bool is_launch = std::ranges::any_of(
          kLaunchVariables, [&](std::string_view start) { return name.starts_with(start); });
      if (!is_launch) all.emplace(name, value);
    }
    return all;
  }

  /// No two pods have the same random end.
  std::string apart(std::string_view text) const {
    return known_here(text) + (text.ends_with(kRandom) ? std::to_string(number_) : "");
  }

  void add_names(std::string_view address) {
    std::vector<std::string> bases;
    const std::string_view subdomain = string_at(get(pod_, "spec"), "subdomain");
    if (!subdomain.empty()) bases.push_back(result_.hostname + "." + known_here(subdomain));
    if (!address.empty()) bases.push_back(known_here(address));
    const View labels = get(get(pod_, "metadata"), "labels");
    for (View service : world_.inventory.all("", "Service")) {
      const View selector = get(get(service, "spec"), "selector");
      const bool leads_here =
          has_items(selector) && std::ranges::all_of(Items(selector), [&](View each) {
            return string_at(labels, each->key) == each->text;
          });
      if (leads_here) bases.emplace_back(string_at(get(service, "metadata"), "name"));
    }
    for (const std::string& base : bases) {
      for (const std::string& end : {"." + space_ + ".svc.cluster.local", "." + space_ + ".svc",
                                     "." + space_, std::string()}) {
        if (std::ranges::count(result_.names, base + end) == 0) result_.names.push_back(base + end);
      }
    }
  }

  std::string field(std::string_view path) const {
    if (path == "status.podIP" || path == "status.podIPs") return result_.address;
    if (path == "status.hostIP" || path == "status.hostIPs") return kRehearsalServer;
    if (path == "spec.nodeName") return "node-" + std::to_string(number_);
    if (path == "metadata.name") return name_;
    if (path == "metadata.namespace") return space_;
    if (path == "metadata.uid") return "uid-" + std::to_string(number_);
    for (std::string_view map : {"labels", "annotations"}) {
      const std::string start = "metadata." + std::string(map) + "['";
      if (!path.starts_with(start) || !path.ends_with("']")) continue;
      path.remove_prefix(start.size());
      path.remove_suffix(2);
      return known_here(string_at(get(get(pod_, "metadata"), map), path));
    }
    return known_here(string_at(get(pod_, "spec"), path.substr(path.find('.') + 1)));
  }

  /// In the order of the list: a reference knows only what stands before it.
  Variables read_variables() {
    Variables found;
    for (View each : items_at(container_, "envFrom")) {
      if (const View secret = get(each, "secretRef")) {
        tell("variables of Secret `" + std::string(string_at(secret, "name")) +
             "`: only those that your environment has");
        continue;
      }
      const View data = get(config_map(string_at(get(each, "configMapRef"), "name")), "data");
      for (View value : Items(data)) {
        found.insert_or_assign(std::string(string_at(each, "prefix")) + std::string(value->key),
                               std::string(value->text));
      }
    }
    for (View each : items_at(container_, "env")) {
      const std::string name(string_at(each, "name"));
      if (auto value = value_of(each, name, found)) found.insert_or_assign(name, std::move(*value));
    }
    return found;
  }

  std::optional<std::string> value_of(View variable, const std::string& name,
                                      const Variables& before) {
    const View from = get(variable, "valueFrom");
    if (!from) return expanded(known_here(string_at(variable, "value")), before);
    if (const View path = get(get(from, "fieldRef"), "fieldPath")) return field(string_of(path));
    if (const View secret = get(from, "secretKeyRef")) {
      const std::string what =
          "Secret `" + std::string(string_at(secret, "name")) + "` for `" + name + "`: ";
      const auto own = world_.environment.find(name);
      tell(what + (own == world_.environment.end() ? "not set; your environment has none"
                                                   : "the value of your environment"));
      if (own == world_.environment.end()) return std::nullopt;
      return own->second;
    }
    if (const View key = get(from, "configMapKeyRef")) {
      const auto made = world_.objects.data.find(std::string(string_at(key, "name")));
      if (made != world_.objects.data.end()) {
        const auto entry = made->second.find(std::string(string_at(key, "key")));
        return entry == made->second.end() ? std::string() : entry->second;
      }
      return std::string(
          string_at(get(config_map(string_at(key, "name")), "data"), string_at(key, "key")));
    }
    tell("`" + name + "`, an amount of the container: 1");
    return "1";
  }

  View config_map(std::string_view name) const {
    return world_.inventory.find("", "ConfigMap", space_, name);
  }

  /// As the kubelet does (kubernetes/kubernetes third_party/forked/golang/expansion/expand.go).
  static std::string expanded(const std::string& text, const Variables& variables) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t end = text.compare(at, 2, "$(") == 0 ? text.find(')', at) : text.npos;
      if (end != text.npos) {
        const auto found = variables.find(text.substr(at + 2, end - at - 2));
        result += found == variables.end() ? text.substr(at, end + 1 - at) : found->second;
        at = end;
      } else {
        if (text.compare(at, 2, "$$") == 0) ++at;
        result += text[at];
      }
    }
    return result;
  }

  static Meeting meeting_at(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    std::uint16_t port = 0;
    if (colon != text.npos) {
      std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
    }
    return port == 0 ? Meeting{} : Meeting{text.substr(0, colon), port};
  }

  /// KubeRay makes the submitter when the head serves, and workers wait for it.
  void find_awaited(const Variables& variables) {
    for (const auto& [sign, address] : {std::pair("RAY_DASHBOARD_ADDRESS", "RAY_DASHBOARD_ADDRESS"),
                                        std::pair("FQ_RAY_IP", "RAY_ADDRESS")}) {
      const auto place = variables.find(address);
      if (!variables.contains(sign) || place == variables.end()) continue;
      result_.meeting = meeting_at(place->second);
      result_.awaits = {result_.meeting};
    }
  }

  /// Where pods find their keys is the home of their user. The image has settings for ssh.
  void prepare_ssh(View spec) {
    if (world_.objects.keys.empty()) return;
    for (View volume : items_at(spec, "volumes")) {
      if (string_at(get(volume, "secret"), "secretName") != world_.objects.keys) continue;
      for (View mount : items_at(container_, "volumeMounts")) {
        if (string_at(mount, "name") == string_at(volume, "name")) {
          prepare_ssh(std::string(string_at(mount, "mountPath")));
        }
      }
    }
  }

  void prepare_ssh(const std::string& keys) {
    result_.home = keys.substr(0, keys.rfind('/'));
    tell("user: `mpiuser` with number 1000, not that of the image");
    if (world_.image) return;
    tell("ssh: settings of the rehearsal, not of the image");
    std::string settings = "/etc/ssh/sshd_config";
    const auto option = std::ranges::find(result_.command, "-f");
    if (option != result_.command.end() && option + 1 != result_.command.end() &&
        result_.command.front().ends_with("sshd") && option[1].starts_with('/')) {
      settings = option[1];
    }
    add_file("sshd_config", settings, server_settings(keys));
    add_file("ssh_config", "/etc/ssh/ssh_config",
             "Host *\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n"
             "  LogLevel ERROR\n");
  }

  /// As in the images of the MPI Operator (kubeflow/mpi-operator build/base), but for both ports
  /// that they use. Programs behind it find the user's environment.
  std::string server_settings(const std::string& keys) const {
    std::string variables;
    for (std::string_view name :
         {"HOME", "PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const auto found = world_.environment.find(std::string(name));
      if (found == world_.environment.end()) continue;
      if (found->second.find_first_of("\"\\\n") != std::string::npos)
        continue;  // it would need quotes
      variables += " \"" + std::string(name) + "=" + found->second + "\"";
    }
    return "Port 22\nPort 2222\nHostKey " + keys + "/id_rsa\nAuthorizedKeysFile " + keys +
           "/authorized_keys\nPidFile none\nStrictModes no\nUsePAM no\n" +
           (variables.empty() ? "" : "SetEnv" + variables + "\n");
  }

  void add_file(const std::string& name, const std::string& path, std::string text) {
    result_.mounts.push_back({.path = path,
                              .source = RehearsedMount::Source::Files,
                              .name = name,
                              .files = {{name, std::move(text)}},
                              .sub_path = name});
  }

  /// What is missing of a volume that another container fills.
  std::string told_of(View spec, View filled) const {
    const std::string_view name = string_at(filled, "name");
    const auto is_it = [name](View each) { return string_at(each, "name") == name; };
    std::string text;
    for (View volume : items_at(spec, "volumes")) {
      if (!is_it(volume) || !get(volume, "emptyDir") || is_true(get(filled, "readOnly"))) continue;
      for (View mount : items_at(container_, "volumeMounts")) {
        const std::string path(string_at(mount, "mountPath"));
        if (!is_it(mount) || path == "/dev/shm" || shows(world_.folders, path)) continue;
        text += "; what it writes to `" + path + "` is missing, and `--mount DIR:" + path +
                "` shows your folder there";
      }
    }
    return text;
  }

  /// A directory of the pod that an init container fills is empty. Of claims the list says so.
  void tell_left_out(View spec) {
    for (View each : items_at(spec, "initContainers")) {
      const std::string name(string_at(each, "name"));
      if (name == "wait-gcs-ready" && !result_.awaits.empty()) continue;  // the pod itself waits
      std::string line = "init container `" + name + "`: left out";
      for (View filled : items_at(each, "volumeMounts")) line += told_of(spec, filled);
      tell(std::move(line));
    }
    for (View each : items_at(spec, "containers")) {
      if (each.id() == container_.id()) continue;
      tell("container `" + std::string(string_at(each, "name")) + "`: left out");
    }
    for (View each : entries_at(get(container_, "resources"), "limits")) {
      if (each->key.find('/') == each->key.npos) continue;
      tell("devices: none, not " + std::string(each->text) + " of `" + std::string(each->key) +
           "` in each pod");
    }
  }

  void tell(std::string line) {
    if (std::ranges::count(differences_, line) == 0) differences_.push_back(std::move(line));
  }

  const RehearsalWorld& world_;
  View pod_;
  View container_;
  std::size_t number_;
  std::vector<std::string>& differences_;
  std::string name_;
  std::string space_;
  RehearsedPod result_;
};

}  // namespace

RehearsedPod rehearsed_pod(const RehearsalWorld& world, View pod, const EffectivePod& made,
                           std::size_t number, std::vector<std::string>& differences) {
  return PodMaker(world, pod, made, number, differences).make();
}

}  // namespace trainyard
