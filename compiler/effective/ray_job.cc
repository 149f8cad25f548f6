#include <algorithm>
#include <map>

#include "check/read.h"
#include "effective/pod_parts.h"
#include "effective/pods.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

constexpr std::string_view kHead = "head";

View cluster_of(View job) {
  return get(get(job, "spec"), "rayClusterSpec");
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
    const bool gpu = limit->key.ends_with("gpu") || limit->key.starts_with("nvidia.com/mig-");
    if (gpu) found.emplace(limit->key, amount_of(container, limit->key, false));
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
        cluster_(std::string(name_of(job)) + "-" + std::string(kRandom)),
        service_(cluster_ + "-head-svc"),
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
    add_port();
    const NodeId scaler = scales() ? autoscaler() : kNoNode;
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
    const auto unless_given = [&](std::string_view key, const std::string& value) {
      if (!get(given, key)) maker_.put(labels, key, value, mark);
    };
    unless_given("app.kubernetes.io/created-by", "kuberay-operator");
    unless_given("app.kubernetes.io/name", "kuberay");
    unless_given("ray.io/identifier", cluster_ + "-" + std::string(type));
    unless_given("ray.io/is-ray-node", "yes");
    maker_.put(labels, "ray.io/cluster", cluster_, mark);
    maker_.put(labels, "ray.io/group", group, mark);
    maker_.put(labels, "ray.io/node-type", type, mark);
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
    const OriginId mark = maker_.mark("logs of the autoscaler");
    const NodeId volume = maker_.map(mark);
    maker_.put(volume, "name", "ray-logs", mark);
    maker_.map_at(volume, "emptyDir", mark);
    append_to(maker_, draft_.spec, "volumes", volume);
    for (NodeId each : {main_, scaler}) {
      append_to(maker_, each, "volumeMounts", mount(maker_, "ray-logs", "/tmp/ray", mark));
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

  /// The object store is in shared memory.
  void add_memory() {
    for (View each : items_at(maker_.view(main_), "volumeMounts")) {
      if (string_at(each, "mountPath") == "/dev/shm") return;
    }
    const View resources = get(maker_.view(main_), "resources");
    View size = get(get(resources, "limits"), "memory");
    if (!size) size = get(get(resources, "requests"), "memory");
    const OriginId mark = maker_.mark("memory for the object store", size);
    const NodeId volume = maker_.map(mark);
    maker_.put(volume, "name", "shared-mem", mark);
    const NodeId source = maker_.map_at(volume, "emptyDir", mark);
    maker_.put(source, "medium", "Memory", mark);
    maker_.put_copy(source, "sizeLimit", size);
    append_to(maker_, draft_.spec, "volumes", volume);
    append_to(maker_, main_, "volumeMounts", mount(maker_, "shared-mem", "/dev/shm", mark));
  }

  /// Of the head, which the workers go to.
  std::string port() const {
    const View head = get(cluster_of(job_), "headGroupSpec");
    const std::string_view given = string_at(get(head, "rayStartParams"), "port");
    return given.empty() ? "6379" : std::string(given);
  }

  std::string start_command() const {
    StartOptions options;
    for (View each : entries_at(group_, "rayStartParams")) {
      options[std::string(each->key)] = each->text;
    }
    const View main = maker_.view(main_);
    if (is_head_) {
      options.try_emplace("dashboard-host", "0.0.0.0");
    } else {
      options.try_emplace("address", address_ + ":" + port());
    }
    if (scales()) options["no-monitor"] = "true";
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
      if (value == "false" && name != "log-color" && name != "include-dashboard") continue;
      const bool is_switch = value == "true" && name != "log-color" && name != "include-dashboard";
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
    const View annotations = get(get(get(group_, "template"), "metadata"), "annotations");
    const bool as_it_is = string_at(annotations, "ray.io/overwrite-container-cmd") == "true";
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
      for (View each : items_at(maker_.view(main_), "env")) {
        if (string_at(each, "name") == name) return;
      }
      append_env(maker_, main_, name, value, mark);
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
                 "kuberay_version=v1.5.1;kuberay_crd=RayJob", mark);
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

constinit const PodKind kRayJobPods = {
    "ray.io",
    "RayJob",
    "",
    "kuberay",
    "ray-project/kuberay ray-operator/controllers/ray/common/pod.go",
    roles,
    pod};

}  // namespace trainyard
