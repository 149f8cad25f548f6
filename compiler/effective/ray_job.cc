#include <algorithm>
#include <map>

#include "check/read.h"
#include "effective/pod_parts.h"
#include "effective/pods.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

constexpr std::string_view kHead = "head";
constexpr std::string_view kOwnCommand = "ray.io/overwrite-container-cmd";

bool is_cluster(View object) {
  return string_at(object, "kind") == "RayCluster";
}
/// A RayJob has its cluster in it.
View cluster_of(View object) {
  const View spec = get(object, "spec");
  return is_cluster(object) ? spec : get(spec, "rayClusterSpec");
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string head_service(View object, const std::string& cluster) {
  const View own = get(get(cluster_of(object), "headGroupSpec"), "headService");
  const std::string_view name = string_at(get(own, "metadata"), "name");
  return name.empty() ? cluster + "-head-svc" : std::string(name);
}

bool is_gpu(std::string_view resource) {
  return resource.ends_with("gpu") || resource.starts_with("nvidia.com/mig-");
}

std::vector<PodRole> roles(View job) {
  const View cluster = cluster_of(job);
  std::vector<PodRole> found;
  if (get(cluster, "headGroupSpec")) found.push_back({std::string(kHead), 1});
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    const std::int64_t hosts = integer_at(group, "numOfHosts").value_or(1);
    const std::int64_t given = integer_at(group, "replicas").value_or(0);
    const std::int64_t least = integer_at(group, "minReplicas").value_or(0);
    found.push_back({std::string(string_at(group, "groupName")), std::max(given, least) * hosts});
  }
  return found;
}

/// Options of `ray start`, by name.
using StartOptions = std::map<std::string, std::string>;

std::string amount_of(View container, std::string_view resource, bool request_will_do) {
  const View resources = get(container, "resources");
  View amount = get(get(resources, "limits"), resource);
  if (!amount && request_will_do) amount = get(get(resources, "requests"), resource);
  const auto quantity = amount ? Quantity::parse(amount->text) : std::nullopt;
  if (!quantity || quantity->is_zero()) return {};
  return std::to_string(quantity->whole_units().value_or(0));
}

/// The first GPUs among the limits, by name.
std::string gpus_of(View container) {
  std::map<std::string_view, std::string> found;
  for (View limit : entries_at(get(container, "resources"), "limits")) {
    if (is_gpu(limit->key)) found.emplace(limit->key, amount_of(container, limit->key, false));
  }
  for (const auto& [name, amount] : found) {
    if (!amount.empty()) return amount;
  }
  return {};
}

/// One pod of the cluster, which the RayJob's controller makes first.
class RayPod {
 public:
  RayPod(Maker& maker, View job, View group, bool is_head)
      : maker_(maker),
        job_(job),
        group_(group),
        is_head_(is_head),
        cluster_(std::string(name_of(job)) + (is_cluster(job) ? "" : "-" + std::string(kRandom))),
        service_(head_service(job, cluster_)),
        address_(service_ + "." + std::string(namespace_of(job)) + ".svc.cluster.local"),
        draft_(draft_pod(maker, get(group, "template"))) {
    const std::vector<NodeId> all = containers(maker, draft_.spec);
    if (!all.empty()) main_ = all.front();
  }

  EffectivePod made() {
    EffectivePod result;
    if (main_ == kNoNode) {
      result.failure = "the pod has no container for Ray";
      return result;
    }
    const std::string group(is_head_ ? "" : string_at(group_, "groupName"));
    result.name =
        cluster_ + (is_head_ ? "-head-" : "-" + group + "-worker-") + std::string(kRandom);
    name_pod(maker_, draft_, result.name, get(get(job_, "metadata"), "namespace"),
             maker_.mark("name of the cluster, group and a random end"));
    label(is_head_ ? "headgroup" : group);
    if (!is_head_) wait_for_head();
    if (scales()) account();
    annotate();
    const NodeId scaler = scales() ? autoscaler() : kNoNode;
    scale_by_second_version();
    survive_head();
    add_port();
    authenticate(main_);
    for (NodeId each : init_containers(maker_, draft_.spec)) {
      if (string_at(maker_.view(each), "name") == "wait-gcs-ready") authenticate(each);
    }
    add_memory();
    if (scaler != kNoNode) add_logs(scaler);
    start();
    for (NodeId each : init_containers(maker_, draft_.spec)) tell_head(each);
    variables();
    probe("livenessProbe", 30, 120);
    probe("readinessProbe", 10, 10);
    result.root = draft_.pod;
    result.hostname = result.name;
    if (is_head_) result.address = service_;
    result.notes.push_back(
        "accelerators other than GPUs are not shown in the options of ray start");
    return result;
  }

 private:
  void label(std::string_view group) {
    const OriginId mark = maker_.mark("cluster and group of the pod");
    const NodeId labels = draft_.labels(maker_, mark);
    const std::string_view type = is_head_ ? kHead : "worker";
    const View given = get(get(get(group_, "template"), "metadata"), "labels");
    const View of_group = get(group_, "labels");
    put_all(maker_, labels, of_group);
    const auto unless_given = [&](std::string_view key, const std::string& value) {
      if (!get(given, key) && !get(of_group, key)) maker_.put(labels, key, value, mark);
    };
    unless_given("app.kubernetes.io/created-by", "kuberay-operator");
    unless_given("app.kubernetes.io/name", "kuberay");
    unless_given("ray.io/identifier", cluster_ + "-" + std::string(type));
    unless_given("ray.io/is-ray-node", "yes");
    maker_.put(labels, "ray.io/cluster", cluster_, mark);
    maker_.put(labels, "ray.io/group", group, mark);
    maker_.put(labels, "ray.io/node-type", type, mark);
  }

  View annotation_of_cluster(std::string_view key) const {
    return get(get(get(job_, "metadata"), "annotations"), key);
  }
  View fault_tolerance() const { return get(cluster_of(job_), "gcsFaultToleranceOptions"); }
  /// Whether the cluster outlives its head, with a Redis of the user's.
  bool survives_head() const {
    return fault_tolerance() ||
           lower(string_of(annotation_of_cluster("ray.io/ft-enabled"))) == "true";
  }

  void annotate() {
    if (const View own = annotation_of_cluster(kOwnCommand); lower(string_of(own)) == "true") {
      const OriginId mark = maker_.mark("of the cluster", own);
      maker_.put(draft_.annotations(maker_, mark), kOwnCommand, "true", mark);
    }
    if (!is_head_) return;
    const OriginId mark = maker_.mark("whether the cluster outlives its head", fault_tolerance());
    maker_.put(draft_.annotations(maker_, mark), "ray.io/ft-enabled",
               survives_head() ? "true" : "false", mark);
  }

  bool has_variable(std::string_view name) {
    for (View each : items_at(maker_.view(main_), "env")) {
      if (string_at(each, "name") == name) return true;
    }
    return false;
  }

  void survive_head() {
    if (!survives_head()) return;
    const View options = fault_tolerance();
    const OriginId mark = maker_.mark("for a cluster that outlives its head", options);
    if (!is_head_) {
      if (has_variable("RAY_gcs_rpc_server_reconnect_timeout_s")) return;
      append_env(maker_, main_, "RAY_gcs_rpc_server_reconnect_timeout_s", "600", mark);
      return;
    }
    constexpr std::string_view key = "ray.io/external-storage-namespace";
    View given = get(options, "externalStorageNamespace");
    if (string_of(given).empty()) given = annotation_of_cluster(key);
    const std::string_view space = given ? string_of(given) : kUid;
    maker_.put(draft_.annotations(maker_, mark), key, space, mark);
    if (!has_variable("RAY_external_storage_namespace")) {
      append_env(maker_, main_, "RAY_external_storage_namespace", space, mark);
    }
    if (!options) {
      const View password = get(get(group_, "rayStartParams"), "redis-password");
      if (!password || has_variable("REDIS_PASSWORD")) return;
      append_env(maker_, main_, "REDIS_PASSWORD", password->text, mark);
      return;
    }
    append_env(maker_, main_, "RAY_REDIS_ADDRESS", string_at(options, "redisAddress"), mark);
    for (const auto& [field, name] : {std::pair("redisUsername", "REDIS_USERNAME"),
                                      std::pair("redisPassword", "REDIS_PASSWORD")}) {
      const View credential = get(options, field);
      if (!credential) continue;
      const NodeId variable = maker_.map(mark);
      maker_.put(variable, "name", name, mark);
      maker_.put_copy(variable, "value", get(credential, "value"));
      maker_.put_copy(variable, "valueFrom", get(credential, "valueFrom"));
      append_env(maker_, main_, variable);
    }
  }

  bool second_autoscaler() const {
    const View cluster = cluster_of(job_);
    return is_true(get(cluster, "enableInTreeAutoscaling")) &&
           string_at(get(cluster, "autoscalerOptions"), "version") == "v2";
  }
  void scale_by_second_version() {
    if (!second_autoscaler()) return;
    const View version = get(get(cluster_of(job_), "autoscalerOptions"), "version");
    const OriginId mark = maker_.mark("second version of the autoscaler", version);
    if (is_head_) append_env(maker_, main_, "RAY_enable_autoscaler_v2", "true", mark);
    maker_.put(draft_.spec, "restartPolicy", "Never", mark);
  }

  void authenticate(NodeId container) {
    const View mode = get(get(cluster_of(job_), "authOptions"), "mode");
    if (string_of(mode) != "token") return;
    const OriginId mark = maker_.mark("token that Ray asks for", mode);
    append_env(maker_, container, "RAY_AUTH_MODE", "token", mark);
    const NodeId variable = maker_.map(mark);
    maker_.put(variable, "name", "RAY_AUTH_TOKEN", mark);
    const NodeId key =
        maker_.map_at(maker_.map_at(variable, "valueFrom", mark), "secretKeyRef", mark);
    maker_.put(key, "name", cluster_, mark);
    maker_.put(key, "key", "auth_token", mark);
    append_env(maker_, container, variable);
  }

  /// Before the variables and mounts below: the container has those of the template only.
  void wait_for_head() {
    const OriginId mark = maker_.mark("waits for the head");
    const View main = maker_.view(main_);
    const NodeId made = maker_.map(mark);
    maker_.put(made, "name", "wait-gcs-ready", mark);
    maker_.put_copy(made, "image", get(main, "image"));
    maker_.put_copy(made, "imagePullPolicy", get(main, "imagePullPolicy"));
    bash(made,
         "<waits until `ray health-check --address " + address_ + ":" + port() + "` is answered>",
         mark);
    maker_.put_copy(made, "env", get(main, "env"));
    resources(made, "200m", "256Mi", mark);
    maker_.put_copy(made, "securityContext", get(main, "securityContext"));
    maker_.put_copy(made, "volumeMounts", get(main, "volumeMounts"));
    append_to(maker_, draft_.spec, "initContainers", made);
  }

  /// Requests and limits alike, as KubeRay writes them into containers of its own.
  void resources(NodeId container, std::string_view cpu, std::string_view memory, OriginId mark) {
    const NodeId made = maker_.map_at(container, "resources", mark);
    for (std::string_view kind : {"requests", "limits"}) {
      const NodeId amounts = maker_.map_at(made, kind, mark);
      maker_.put(amounts, "cpu", cpu, mark);
      maker_.put(amounts, "memory", memory, mark);
    }
  }

  /// Whether Ray's autoscaler runs beside the head.
  bool scales() const {
    return is_head_ && is_true(get(cluster_of(job_), "enableInTreeAutoscaling"));
  }

  /// It changes the cluster through the API server.
  void account() {
    if (get(maker_.view(draft_.spec), "serviceAccountName")) return;
    maker_.put(draft_.spec, "serviceAccountName", cluster_,
               maker_.mark("account of the autoscaler, made for the cluster"));
  }

  NodeId autoscaler() {
    const View cluster = cluster_of(job_);
    const View options = get(cluster, "autoscalerOptions");
    const OriginId mark = maker_.mark("autoscaler", get(cluster, "enableInTreeAutoscaling"));
    const NodeId made = maker_.map(mark);
    maker_.put(made, "name", "autoscaler", mark);
    const View image = get(options, "image");
    maker_.put_copy(made, "image", image ? image : get(maker_.view(main_), "image"));
    const View policy = get(options, "imagePullPolicy");
    policy ? maker_.put_copy(made, "imagePullPolicy", policy)
           : maker_.put(made, "imagePullPolicy", "IfNotPresent", mark);
    bash(made,
         "ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace "
         "$(RAY_CLUSTER_NAMESPACE)",
         mark);
    const auto field = [&](std::string_view name, std::string_view path) {
      append_env(maker_, made, field_variable(maker_, name, path, mark));
    };
    field("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']");
    field("RAY_CLUSTER_NAMESPACE", "metadata.namespace");
    field("RAY_HEAD_POD_NAME", "metadata.name");
    append_env(maker_, made, "KUBERAY_CRD_VER", "v1", mark);
    authenticate(made);
    for (View each : items_at(options, "env")) append_env(maker_, made, maker_.copy(each));
    maker_.put_copy(made, "envFrom", get(options, "envFrom"));
    if (const View asked = get(options, "resources")) {
      maker_.put_copy(made, "resources", asked);
    } else {
      resources(made, "500m", "512Mi", mark);
    }
    maker_.put_copy(made, "securityContext", get(options, "securityContext"));
    maker_.put_copy(made, "volumeMounts", get(options, "volumeMounts"));
    append_to(maker_, draft_.spec, "containers", made);
    return made;
  }

  /// What it logs the head reads.
  void add_logs(NodeId scaler) {
    for (NodeId each : {main_, scaler}) {
      add_empty_volume(each, "ray-logs", "/tmp/ray", maker_.mark("logs of the autoscaler"));
    }
  }

  void bash(NodeId container, const std::string& script, OriginId mark) {
    const NodeId command = maker_.list(mark);
    for (std::string_view word : {"/bin/bash", "-c", "--"}) {
      maker_.tree.append(command, maker_.text(word, mark));
    }
    maker_.put(container, "command", command);
    const NodeId args = maker_.list(mark);
    maker_.tree.append(args, maker_.text(script, mark));
    maker_.put(container, "args", args);
  }

  void add_port() {
    for (View each : items_at(maker_.view(main_), "ports")) {
      if (string_at(each, "name") == "metrics") return;
    }
    append_to(maker_, main_, "ports",
              trainyard::port(maker_, "metrics", 8080, maker_.mark("for Prometheus")));
  }

  /// Unless something is mounted there; a volume of this name is taken as it is. The new volume, if
  /// there is one.
  NodeId add_empty_volume(NodeId container, std::string_view name, std::string_view path,
                          OriginId mark) {
    for (View each : items_at(maker_.view(container), "volumeMounts")) {
      if (string_at(each, "mountPath") == path) return kNoNode;
    }
    NodeId source = kNoNode;
    const auto is_there = [&] {
      for (View each : items_at(maker_.view(draft_.spec), "volumes")) {
        if (string_at(each, "name") == name) return true;
      }
      return false;
    };
    if (!is_there()) {
      const NodeId volume = maker_.map(mark);
      maker_.put(volume, "name", name, mark);
      source = maker_.map_at(volume, "emptyDir", mark);
      append_to(maker_, draft_.spec, "volumes", volume);
    }
    append_to(maker_, container, "volumeMounts", mount(maker_, name, path, mark));
    return source;
  }

  /// The object store is in shared memory.
  void add_memory() {
    const View resources = get(maker_.view(main_), "resources");
    View size = get(get(resources, "limits"), "memory");
    if (!size) size = get(get(resources, "requests"), "memory");
    const OriginId mark = maker_.mark("memory for the object store", size);
    const NodeId source = add_empty_volume(main_, "shared-mem", "/dev/shm", mark);
    if (source == kNoNode) return;
    maker_.put(source, "medium", "Memory", mark);
    maker_.put_copy(source, "sizeLimit", size);
  }

  /// Of the head, which the workers go to.
  std::string port() const {
    const View head = get(cluster_of(job_), "headGroupSpec");
    const std::string_view given = string_at(get(head, "rayStartParams"), "port");
    return given.empty() ? "6379" : std::string(given);
  }

  /// What a group says of its own, in front of what its containers ask for.
  void take_group_fields(StartOptions& options) const {
    for (View each : entries_at(group_, "resources")) {
      const auto quantity = Quantity::parse(each->text);
      if (!quantity) continue;
      const std::string name = lower(each->key);
      const char* option = name == "cpu"      ? "num-cpus"
                           : name == "memory" ? "memory"
                           : is_gpu(name)     ? "num-gpus"
                                              : nullptr;
      if (option != nullptr) options[option] = std::to_string(quantity->whole_units().value_or(0));
    }
    std::map<std::string_view, std::string_view> labels;
    for (View each : entries_at(group_, "labels")) labels.emplace(each->key, each->text);
    std::string text;
    for (const auto& [key, value] : labels) {
      text += (text.empty() ? "" : ",") + std::string(key) + "=" + std::string(value);
    }
    if (!text.empty()) options["labels"] = text;
  }

  std::string start_command() const {
    StartOptions options;
    for (View each : entries_at(group_, "rayStartParams")) {
      options[std::string(each->key)] = each->text;
    }
    take_group_fields(options);
    const View main = maker_.view(main_);
    if (is_head_) {
      options.try_emplace("dashboard-host", "0.0.0.0");
    } else {
      options.try_emplace("address", address_ + ":" + port());
    }
    if (scales()) options["no-monitor"] = "true";
    if (is_head_ && get(fault_tolerance(), "redisUsername")) {
      options["redis-username"] = "$REDIS_USERNAME";
    }
    if (is_head_ && get(fault_tolerance(), "redisPassword")) {
      options["redis-password"] = "$REDIS_PASSWORD";
    }
    options.try_emplace("metrics-export-port", "8080");
    options["block"] = "true";
    options.try_emplace("dashboard-agent-listen-port", "52365");
    const auto from_resources = [&](const char* name, const std::string& amount) {
      if (!amount.empty()) options.try_emplace(name, amount);
    };
    from_resources("num-cpus", amount_of(main, "cpu", true));
    from_resources("memory", amount_of(main, "memory", false));
    from_resources("num-gpus", gpus_of(main));
    std::string command = is_head_ ? "ray start --head " : "ray start ";
    for (const auto& [name, value] : options) {
      const bool may_be_switch = name != "log-color" && name != "include-dashboard";
      const bool is_switch = may_be_switch && lower(value) == "true";
      if (may_be_switch && lower(value) == "false") continue;
      command += " --" + name + (is_switch ? " " : "=" + value + " ");
    }
    return command;
  }

  /// A command of the user's own runs first.
  void start() {
    start_ = start_command();
    std::string own;
    for (std::string_view list : {"command", "args"}) {
      for (View word : items_at(maker_.view(main_), list)) {
        own += " " + std::string(word->text) + " ";
      }
    }
    const View annotations = get(maker_.view(draft_.metadata), "annotations");
    const bool as_it_is = lower(string_at(annotations, kOwnCommand)) == "true";
    if (as_it_is || own.find("ray start") != std::string::npos) return;
    const std::string generated = "ulimit -n 65536; " + start_;
    bash(main_, own.empty() ? generated : own + " && " + generated, maker_.mark("starts Ray"));
  }

  void tell_head(NodeId container) {
    const OriginId mark = maker_.mark("where the head is");
    append_env(maker_, container, "FQ_RAY_IP", address_, mark);
    append_env(maker_, container, "RAY_IP", service_, mark);
  }

  void variables() {
    if (!is_head_) tell_head(main_);
    const OriginId mark = maker_.mark("what Ray is told of its node");
    const auto field = [&](std::string_view name, std::string_view path) {
      append_env(maker_, main_, field_variable(maker_, name, path, mark));
    };
    const auto unless_given = [&](std::string_view name, const std::string& value) {
      if (!has_variable(name)) append_env(maker_, main_, name, value, mark);
    };
    field("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']");
    field("RAY_CLOUD_INSTANCE_ID", "metadata.name");
    field("RAY_NODE_TYPE_NAME", "metadata.labels['ray.io/group']");
    append_env(maker_, main_, "KUBERAY_GEN_RAY_START_CMD", start_, mark);
    unless_given("RAY_PORT", port());
    unless_given("RAY_ADDRESS", (is_head_ ? "127.0.0.1" : address_) + ":" + port());
    unless_given("RAY_USAGE_STATS_KUBERAY_IN_USE", "1");
    if (is_head_) {
      append_env(maker_, main_, "RAY_USAGE_STATS_EXTRA_TAGS",
                 "kuberay_version=v1.5.1;kuberay_crd=" + std::string(string_at(job_, "kind")),
                 mark);
    }
    unless_given("RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1");
  }

  void probe(std::string_view key, std::int64_t delay, std::int64_t failures) {
    if (get(maker_.view(main_), key)) return;
    const OriginId mark = maker_.mark("whether Ray is well");
    const std::string wget = "wget --tries 1 -T ";
    std::string script =
        wget + "2 -q -O- http://localhost:52365/api/local_raylet_healthz | grep success";
    if (is_head_) {
      script += " && " + wget + "10 -q -O- http://localhost:8265/api/gcs_healthz | grep success";
    }
    const NodeId made = maker_.map(mark);
    const NodeId command = maker_.list(mark);
    for (const std::string& word : {std::string("bash"), std::string("-c"), script}) {
      maker_.tree.append(command, maker_.text(word, mark));
    }
    maker_.put(maker_.map_at(made, "exec", mark), "command", command);
    const auto number = [&](std::string_view name, std::int64_t value) {
      maker_.put(made, name, maker_.number(value, mark));
    };
    number("initialDelaySeconds", delay);
    number("timeoutSeconds", is_head_ ? 5 : 2);
    number("periodSeconds", 5);
    number("successThreshold", 1);
    number("failureThreshold", failures);
    maker_.put(main_, key, made);
  }

  Maker& maker_;
  View job_;
  View group_;
  bool is_head_;
  std::string cluster_;
  std::string service_;
  std::string address_;
  PodDraft draft_;
  NodeId main_ = kNoNode;
  std::string start_;
};

EffectivePod pod(Maker& maker, View job, std::string_view role, std::int64_t, KubernetesVersion) {
  maker.act_for("kuberay");
  const View cluster = cluster_of(job);
  if (role == kHead) return RayPod(maker, job, get(cluster, "headGroupSpec"), true).made();
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    if (string_at(group, "groupName") == role) return RayPod(maker, job, group, false).made();
  }
  EffectivePod result;
  result.failure = "the cluster has no group `" + std::string(role) + "`";
  return result;
}

}  // namespace

constinit const PodKind kRayClusterPods = {
    "ray.io",
    "RayCluster",
    "",
    "kuberay",
    "ray-project/kuberay ray-operator/controllers/ray/common/pod.go",
    roles,
    pod};

constinit const PodKind kRayJobPods = {
    "ray.io",
    "RayJob",
    "",
    "kuberay",
    "ray-project/kuberay ray-operator/controllers/ray/common/pod.go",
    roles,
    pod};

}  // namespace trainyard
