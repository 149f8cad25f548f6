#include <algorithm>
#include <array>
#include <string>

#include "effective/ray_cluster.h"
#include "manifest/ray_objects.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kOwnCommand = "ray.io/overwrite-container-cmd";

/// One pod of a cluster.
class RayPod {
 public:
  RayPod(PodBuilder& maker, const RayCluster& cluster, View group, std::int64_t index)
      : maker_(maker),
        cluster_(cluster),
        group_(group),
        index_(index),
        is_head_(group.id() == cluster.head().id()),
        group_name_(is_head_ ? "" : string_at(group, "groupName")),
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
    if (is_head_ && ray_job_has_sidecar(cluster_.object) && !submit_from_here(result.failure)) {
      return result;
    }
    result.name = cluster_.pod_prefix(group_name_) + std::string(kRandom);
    name_pod(maker_, draft_, result.name, get(get(cluster_.object, "metadata"), "namespace"),
             maker_.mark("name of the cluster, group and a random end"));
    label();
    if (!is_head_) wait_for_head();
    annotate();
    if (scales()) account();
    const NodeId scaler = scales() ? autoscaler() : kNoNode;
    scale_by_second_version();
    survive_head();
    add_port();
    let_in();
    if (!get(get(group_, "rayStartParams"), "plasma-directory")) add_memory();
    if (scaler != kNoNode) add_logs(scaler);
    start();
    for (NodeId each : init_containers(maker_, draft_.spec)) tell_head(each);
    variables();
    probe("livenessProbe", 30, 120);
    probe("readinessProbe", 10, 10);
    result.root = draft_.pod;
    result.hostname = result.name;
    if (is_head_) result.address = cluster_.service();
    return result;
  }

 private:
  bool for_service() const { return cluster_.creator == "RayService"; }
  View fault_tolerance() const { return get(cluster_.spec, "gcsFaultToleranceOptions"); }

  bool submit_from_here(std::string& failure) {
    const NodeId sidecar = ray_sidecar(maker_, cluster_, failure);
    if (sidecar == kNoNode) return false;
    append_to(maker_, draft_.spec, "containers", sidecar);
    maker_.put(draft_.spec, "restartPolicy", "Never",
               maker_.mark("the job is submitted once",
                           get(get(cluster_.object, "spec"), "submissionMode")));
    return true;
  }

  void label() {
    const OriginId mark = maker_.mark("cluster and group of the pod");
    const NodeId labels = draft_.labels(maker_, mark);
    const std::string type = is_head_ ? "head" : "worker";
    const View given = get(get(get(group_, "template"), "metadata"), "labels");
    const View of_group = get(group_, "labels");
    put_all(maker_, labels, of_group);
    const auto unless_given = [&](std::string_view key, const std::string& value) {
      if (!get(given, key) && !get(of_group, key)) maker_.put(labels, key, value, mark);
    };
    unless_given("app.kubernetes.io/created-by", "kuberay-operator");
    unless_given("app.kubernetes.io/name", "kuberay");
    unless_given("ray.io/identifier", cluster_.name + "-" + type);
    unless_given("ray.io/is-ray-node", "yes");
    maker_.put(labels, "ray.io/cluster", cluster_.name, mark);
    maker_.put(labels, "ray.io/group", is_head_ ? "headgroup" : group_name_, mark);
    maker_.put(labels, "ray.io/node-type", type, mark);
    if (!is_head_) number_host(labels);
    if (!for_service()) return;
    maker_.put(labels, "ray.io/serve", is_head_ ? "false" : "true",
               maker_.mark(is_head_ ? "until the head serves" : "what the Service sends to"));
  }

  /// A replica of a group can be several pods.
  void number_host(NodeId labels) {
    const View stated = get(group_, "numOfHosts");
    const std::int64_t hosts = std::max<std::int64_t>(integer_of(stated).value_or(1), 1);
    const OriginId mark = maker_.mark("which of its group the pod is", stated);
    const auto number = [&](std::string_view key, std::int64_t value) {
      maker_.put(labels, key, std::to_string(value), mark);
    };
    number("ray.io/worker-group-replica-index", index_ / hosts);
    if (hosts == 1) return;
    number("ray.io/replica-host-index", index_ % hosts);
    maker_.put(labels, "ray.io/worker-group-replica-name",
               std::string(group_name_) + "-" + std::string(kRandom), mark);
  }

  /// Whether the cluster outlives its head, with a Redis of the user's.
  bool survives_head() const {
    return fault_tolerance() ||
           lower_case(string_at(cluster_.annotations, "ray.io/ft-enabled")) == "true";
  }

  void annotate() {
    if (const View own = get(cluster_.annotations, kOwnCommand);
        lower_case(string_of(own)) == "true") {
      const OriginId mark = maker_.mark("of the cluster", own);
      maker_.put(draft_.annotations(maker_, mark), kOwnCommand, "true", mark);
    }
    if (!is_head_) return;
    const OriginId mark = maker_.mark("whether the cluster outlives its head", fault_tolerance());
    maker_.put(draft_.annotations(maker_, mark), "ray.io/ft-enabled",
               survives_head() ? "true" : "false", mark);
    // raycluster_controller.go createHeadPod
    const OriginId made = maker_.mark("by which an upgrade knows the head");
    maker_.put(draft_.annotations(maker_, made), "ray.io/kuberay-version", "<release of KubeRay>",
               made);
    maker_.put(draft_.annotations(maker_, made), "ray.io/upgrade-strategy-recreate-hash",
               "<hash of the cluster>", made);
  }

  bool has(std::string_view name) { return has_variable(maker_.view(main_), name); }

  void survive_head() {
    if (!survives_head()) return;
    const View options = fault_tolerance();
    const OriginId mark = maker_.mark("for a cluster that outlives its head", options);
    if (!is_head_) {
      if (has("RAY_gcs_rpc_server_reconnect_timeout_s")) return;
      append_env(maker_, main_, "RAY_gcs_rpc_server_reconnect_timeout_s", "600", mark);
      return;
    }
    constexpr std::string_view key = "ray.io/external-storage-namespace";
    View given = get(options, "externalStorageNamespace");
    if (string_of(given).empty()) given = get(cluster_.annotations, key);
    const std::string_view space = given ? string_of(given) : kUid;
    maker_.put(draft_.annotations(maker_, mark), key, space, mark);
    if (!has("RAY_external_storage_namespace")) {
      append_env(maker_, main_, "RAY_external_storage_namespace", space, mark);
    }
    options ? name_redis(options, mark) : take_password(mark);
  }

  void take_password(OriginId mark) {
    const View password = get(get(group_, "rayStartParams"), "redis-password");
    if (!password || has("REDIS_PASSWORD")) return;
    append_env(maker_, main_, "REDIS_PASSWORD", password->text, mark);
  }

  void name_redis(View options, OriginId mark) {
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

  void scale_by_second_version() {
    const View version = get(get(cluster_.spec, "autoscalerOptions"), "version");
    if (!ray_scales_itself(cluster_.spec) || string_of(version) != "v2") return;
    const OriginId mark = maker_.mark("second version of the autoscaler", version);
    if (is_head_) append_env(maker_, main_, "RAY_enable_autoscaler_v2", "true", mark);
    maker_.put(draft_.spec, "restartPolicy", "Never", mark);
  }

  void let_in() {
    add_token(maker_, cluster_, main_);
    add_token_volume(maker_, cluster_, draft_.spec);
    for (NodeId each : init_containers(maker_, draft_.spec)) {
      if (string_at(maker_.view(each), "name") == "wait-gcs-ready") {
        add_token(maker_, cluster_, each);
      }
    }
  }

  /// Before the variables and mounts below: the container has those of the template only.
  void wait_for_head() {
    const OriginId mark = maker_.mark("waits for the head");
    const View main = maker_.view(main_);
    const NodeId made = maker_.map(mark);
    maker_.put(made, "name", "wait-gcs-ready", mark);
    maker_.put_copy(made, "image", get(main, "image"));
    maker_.put_copy(made, "imagePullPolicy", get(main, "imagePullPolicy"));
    run_script(maker_, made, "-c",
               "<waits until `ray health-check --address " + cluster_.address() + ":" +
                   cluster_.port() + "` is answered>",
               mark);
    maker_.put_copy(made, "env", get(main, "env"));
    put_resources(maker_, made, {"200m", "256Mi"}, {"200m", "256Mi"}, mark);
    maker_.put_copy(made, "securityContext", get(main, "securityContext"));
    maker_.put_copy(made, "volumeMounts", get(main, "volumeMounts"));
    append_to(maker_, draft_.spec, "initContainers", made);
  }

  /// Whether Ray's autoscaler runs beside the head.
  bool scales() const { return is_head_ && ray_scales_itself(cluster_.spec); }

  /// It changes the cluster through the API server.
  void account() {
    const View own = get(maker_.view(draft_.spec), "serviceAccountName");
    const bool has_own = !string_of(own).empty();
    const std::string name =
        has_own ? ray_checked_name(std::string(own->text)) : cluster_.checked_name();
    if (has_own && name == own->text) return;
    maker_.put(draft_.spec, "serviceAccountName", name,
               maker_.mark("account of the autoscaler, made for the cluster"));
  }

  NodeId autoscaler() {
    const View options = get(cluster_.spec, "autoscalerOptions");
    const OriginId mark = maker_.mark("autoscaler", get(cluster_.spec, "enableInTreeAutoscaling"));
    const NodeId made = maker_.map(mark);
    maker_.put(made, "name", "autoscaler", mark);
    const View image = get(options, "image");
    maker_.put_copy(made, "image", image ? image : get(maker_.view(main_), "image"));
    const View policy = get(options, "imagePullPolicy");
    policy ? maker_.put_copy(made, "imagePullPolicy", policy)
           : maker_.put(made, "imagePullPolicy", "IfNotPresent", mark);
    run_script(maker_, made, "-c",
               "ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace "
               "$(RAY_CLUSTER_NAMESPACE)",
               mark);
    field(made, "RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']", mark);
    field(made, "RAY_CLUSTER_NAMESPACE", "metadata.namespace", mark);
    field(made, "RAY_HEAD_POD_NAME", "metadata.name", mark);
    append_env(maker_, made, "KUBERAY_CRD_VER", "v1", mark);
    add_token(maker_, cluster_, made);
    for (View each : items_at(options, "env")) append_env(maker_, made, maker_.copy(each));
    maker_.put_copy(made, "envFrom", get(options, "envFrom"));
    if (const View asked = get(options, "resources")) {
      maker_.put_copy(made, "resources", asked);
    } else {
      put_resources(maker_, made, {"500m", "512Mi"}, {"500m", "512Mi"}, mark);
    }
    maker_.put_copy(made, "securityContext", get(options, "securityContext"));
    for (View each : items_at(options, "volumeMounts")) {
      append_to(maker_, made, "volumeMounts", maker_.copy(each));
    }
    append_to(maker_, draft_.spec, "containers", made);
    return made;
  }

  /// What it logs the head reads.
  void add_logs(NodeId scaler) {
    for (NodeId each : {main_, scaler}) {
      add_empty_volume(each, "ray-logs", "/tmp/ray", maker_.mark("logs of the autoscaler"));
    }
  }

  void add_port() {
    for (View each : items_at(maker_.view(main_), "ports")) {
      if (string_at(each, "name") == "metrics") return;
    }
    append_to(maker_, main_, "ports", port(maker_, "metrics", 8080, maker_.mark("for Prometheus")));
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

  /// A command of the user's own runs first.
  void start() {
    start_ = ray_start_command(cluster_, group_, maker_.view(main_));
    std::string own;
    for (std::string_view list : {"command", "args"}) {
      for (View word : items_at(maker_.view(main_), list)) {
        own += " " + std::string(word->text) + " ";
      }
    }
    const View annotations = get(maker_.view(draft_.metadata), "annotations");
    const bool as_it_is = lower_case(string_at(annotations, kOwnCommand)) == "true";
    if (as_it_is || own.find("ray start") != std::string::npos) return;
    const std::string generated = "ulimit -n 65536; " + start_;
    run_script(maker_, main_, "-c", own.empty() ? generated : own + " && " + generated,
               maker_.mark("starts Ray"));
  }

  void tell_head(NodeId container) {
    const OriginId mark = maker_.mark("where the head is");
    append_env(maker_, container, "FQ_RAY_IP", cluster_.address(), mark);
    append_env(maker_, container, "RAY_IP", cluster_.service(), mark);
  }

  void field(NodeId container, std::string_view name, std::string_view path, OriginId mark) {
    append_env(maker_, container, field_variable(maker_, name, path, mark));
  }

  void variables() {
    if (!is_head_) tell_head(main_);
    const OriginId mark = maker_.mark("settings of the Ray node");
    const auto unless_given = [&](std::string_view name, const std::string& value,
                                  OriginId because) {
      if (!has(name)) append_env(maker_, main_, name, value, because);
    };
    field(main_, "RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']", mark);
    field(main_, "RAY_CLUSTER_NAMESPACE", "metadata.namespace", mark);
    field(main_, "RAY_CLOUD_INSTANCE_ID", "metadata.name", mark);
    field(main_, "RAY_NODE_TYPE_NAME", "metadata.labels['ray.io/group']", mark);
    append_env(maker_, main_, "KUBERAY_GEN_RAY_START_CMD", start_, mark);
    unless_given("RAY_PORT", cluster_.port(), mark);
    if (for_service()) {
      const OriginId serving = maker_.mark("so that requests do not wait for a head that is gone");
      unless_given("RAY_timeout_ms_task_wait_for_death_info", "0", serving);
      unless_given("RAY_gcs_server_request_timeout_seconds", "5", serving);
      unless_given("RAY_SERVE_KV_TIMEOUT_S", "5", serving);
    }
    unless_given("RAY_ADDRESS",
                 (is_head_ ? "127.0.0.1" : cluster_.address()) + ":" + cluster_.port(), mark);
    unless_given("RAY_USAGE_STATS_KUBERAY_IN_USE", "1", mark);
    if (is_head_) {
      append_env(maker_, main_, "RAY_USAGE_STATS_EXTRA_TAGS",
                 "kuberay_version=" + std::string(kKubeRay) +
                     ";kuberay_crd=" + std::string(cluster_.creator),
                 mark);
    }
    unless_given("RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1", mark);
  }

  /// Of an option of `ray start`, unless that is no number.
  std::int64_t port_of(std::string_view option, std::int64_t otherwise) const {
    const View given = get(get(group_, "rayStartParams"), option);
    if (!given) return otherwise;
    const auto number = read_number<std::int32_t>(given->text);
    return number ? *number : otherwise;
  }
  std::int64_t agent_port() const { return port_of("dashboard-agent-listen-port", 52365); }

  std::int64_t serve_port() {
    for (View each : items_at(maker_.view(main_), "ports")) {
      if (string_at(each, "name") == "serve") {
        return integer_at(each, "containerPort").value_or(8000);
      }
    }
    return 8000;
  }

  /// A command that asks a node how it is.
  static std::string ask(int seconds, std::int64_t port, std::string_view path) {
    return "wget --tries 1 -T " + std::to_string(seconds) +
           " -q -O- http://localhost:" + std::to_string(port) + "/" + std::string(path) +
           " | grep success";
  }

  /// From Ray 2.53 on one address answers for all of a node.
  bool has_one_address() const {
    const auto version = ray_version(string_at(cluster_.spec, "rayVersion"));
    return version && *version >= std::array{2, 53, 0};
  }

  void put_question(NodeId made, bool of_service, OriginId mark) {
    if (has_one_address() && !of_service) {
      const NodeId question = maker_.map_at(made, "httpGet", mark);
      maker_.put(question, "path", "/api/healthz", mark);
      maker_.put(question, "port", maker_.number(agent_port(), mark));
      return;
    }
    std::string script = ask(2, agent_port(), "api/local_raylet_healthz");
    if (is_head_) {
      script += " && " + ask(10, port_of("dashboard-port", 8265), "api/gcs_healthz");
    }
    if (of_service) script += " && " + ask(10, serve_port(), "-/healthz");
    const NodeId command = maker_.list(mark);
    for (const std::string& word : {std::string("bash"), std::string("-c"), script}) {
      maker_.tree.append(command, maker_.text(word, mark));
    }
    maker_.put(maker_.map_at(made, "exec", mark), "command", command);
  }

  void probe(std::string_view key, std::int64_t delay, std::int64_t failures) {
    if (get(maker_.view(main_), key)) return;
    const bool of_service = for_service() && !is_head_ && key == "readinessProbe";
    const OriginId mark =
        maker_.mark(of_service ? "whether Ray is well and serves" : "whether Ray is well");
    const NodeId made = maker_.map(mark);
    put_question(made, of_service, mark);
    const auto number = [&](std::string_view name, std::int64_t value) {
      maker_.put(made, name, maker_.number(value, mark));
    };
    number("initialDelaySeconds", delay);
    number("timeoutSeconds", is_head_ ? 5 : 2);
    number("periodSeconds", 5);
    number("successThreshold", 1);
    number("failureThreshold", of_service ? 1 : failures);
    maker_.put(main_, key, made);
  }

  PodBuilder& maker_;
  const RayCluster& cluster_;
  View group_;
  std::int64_t index_;
  bool is_head_;
  std::string_view group_name_;
  PodDraft draft_;
  NodeId main_ = kNoNode;
  std::string start_;
};

}  // namespace

EffectivePod ray_pod(PodBuilder& maker, const RayCluster& cluster, View group, std::int64_t index) {
  return RayPod(maker, cluster, group, index).made();
}

}  // namespace trainyard
