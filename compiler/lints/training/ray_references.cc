// What a Ray cluster, and pods that talk to one, name of the objects around them.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/launch/service_numbers.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "manifest/ray_objects.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The key of a Secret that is among the inputs.
void secret_key(View value, CheckContext& context) {
  const View source = get(get(value, "valueFrom"), "secretKeyRef");
  const View key = get(source, "key");
  const Inventory* inventory = string_of(key).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const View secret = inventory->find("", "Secret", metadata_namespace(context.object()),
                                      string_at(source, "name"));
  const bool is_known = has_items(get(secret, "data")) || has_items(get(secret, "stringData"));
  if (!is_known || get(get(secret, "data"), key->text)) return;
  if (get(get(secret, "stringData"), key->text)) return;
  context
      .lint(key, "Secret " + shown(string_at(source, "name")) + " has no key " + shown(key->text))
      .also(context.place(get(get(secret, "metadata"), "name")), "the Secret");
}

void state_of_head(View object, CheckContext& context) {
  const View options = get(ray_cluster_spec(object), "gcsFaultToleranceOptions");
  if (!options) return;
  check_service_ports(get(options, "redisAddress"), context);
  secret_key(get(options, "redisPassword"), context);
  secret_key(get(options, "redisUsername"), context);
}

/// What a pod says of the address of a cluster that is among the inputs.
void ray_address(View address, CheckContext& context) {
  std::string_view text = string_of(address);
  const bool is_http = text.starts_with("http://");
  if (!is_http && !text.starts_with("ray://")) return;
  text.remove_prefix(text.find("://") + 3);
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::string_view host = text.substr(0, text.find_first_of(".:/"));
  for (View cluster : inventory->all("ray.io", "RayCluster")) {
    const std::string name(string_at(get(cluster, "metadata"), "name"));
    if (name.empty() || metadata_namespace(cluster) != metadata_namespace(context.object()))
      continue;
    const std::string service = name + "-head-svc";
    if (host == service) {
      const std::string_view port = text.substr(std::min(text.find(':'), text.size()));
      const bool of_client = is_http && port.starts_with(":10001");
      const bool of_dashboard = !is_http && port.starts_with(":8265");
      if (!of_client && !of_dashboard) return;
      context.lint(address, of_client
                                ? "jobs are submitted at port 8265; 10001 is for `ray://`"
                                : "`ray://` is answered at port 10001; 8265 is the dashboard");
      return;
    }
    const bool is_near = host == name + "-head" || host == name + "-head-service" ||
                         host == name + "-ray-head" || host == name + "-svc";
    if (!is_near || inventory->find("", "Service", metadata_namespace(cluster), host)) continue;
    context
        .lint(address,
              "KubeRay makes no Service " + shown(host) + "; that of the head is " + shown(service))
        .also(context.place(get(get(cluster, "metadata"), "name")), "the cluster");
    return;
  }
}

void addresses_of_ray(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    ray_address(variable_value(each.node, "RAY_ADDRESS"), context);
  }
}

/// The ConfigMap from which the head mounts a folder, where it is the whole of one.
struct MountedMap {
  View source;
  std::string_view folder;
};

MountedMap map_around(View pod, View container, std::string_view path) {
  for (View mount : items_at(container, "volumeMounts")) {
    std::string_view folder = string_at(mount, "mountPath");
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    const bool is_around = path.size() > folder.size() + 1 && path.starts_with(folder) &&
                           path[folder.size()] == '/' && !get(mount, "subPath");
    if (!is_around) continue;
    for (View volume : items_at(pod, "volumes")) {
      const View source = get(volume, "configMap");
      const bool is_whole = source && !has_items(get(source, "items"));
      if (is_whole && string_at(volume, "name") == string_at(mount, "name"))
        return {source, folder};
    }
    return {};
  }
  return {};
}

/// `python /code/train.py` of a RayJob runs in the head: ray-project/ray python/ray/dashboard/
/// modules/job/job_supervisor.py.
void program_of_entrypoint(View object, CheckContext& context) {
  const View entrypoint = get(get(object, "spec"), "entrypoint");
  const View head = get(ray_cluster_spec(object), "headGroupSpec");
  const Inventory* inventory = head ? context.inventory() : nullptr;
  if (inventory == nullptr || string_of(entrypoint).find(".py") == std::string_view::npos) return;
  const View pod = get(get(head, "template"), "spec");
  for (const ShellWord& word : argument_words({entrypoint})) {
    const std::string_view path = word.text;
    if (!path.starts_with('/') || !path.ends_with(".py")) continue;
    const MountedMap map = map_around(pod, ray_container(head), path);
    if (!map.source) return;
    const View object_of_map =
        inventory->find("", "ConfigMap", metadata_namespace(object), string_at(map.source, "name"));
    const std::string_view key = path.substr(map.folder.size() + 1);
    const View data = get(object_of_map, "data");
    if (!has_items(data) || get(data, key) || key.find('/') != key.npos) return;
    context
        .lint(word.at, "ConfigMap " + shown(string_at(map.source, "name")) + ", mounted at " +
                           shown(map.folder) + " of the head, has no " + shown(key))
        .also(context.place(get(get(object_of_map, "metadata"), "name")), "the ConfigMap");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "ray-program-exists",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "ray.io RayJob",
     .sentence = "The program of an entrypoint is a file of the ConfigMap that the head mounts "
                 "there.",
     .source = "ray-project/ray python/ray/dashboard/modules/job/job_supervisor.py",
     .object = program_of_entrypoint,
     .severity = Severity::Warning,
     .because = "Python finds no such file, and the job fails.",
     .fix = "name a key of the ConfigMap"},
    {.name = "ray-state-of-head",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "ray.io RayCluster RayJob RayService",
     .sentence = "The Redis that keeps the state of a head is where its Service is, and its "
                 "password in a key of the Secret.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/common/pod.go "
               "configureGCSFaultTolerance",
     .object = state_of_head,
     .severity = Severity::Warning,
     .because = "The head does not start, or waits for Redis and ends.",
     .fix = "name a port of the Service, and a key of the Secret"},
    {.name = "ray-address",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "`RAY_ADDRESS` leads to the head of a cluster of the inputs, at the port for it.",
     .source =
         "ray-project/kuberay ray-operator/controllers/ray/utils/util.go "
         "GenerateHeadServiceName; ray-project/ray python/ray/dashboard/modules/dashboard_sdk.py",
     .pod = addresses_of_ray,
     .severity = Severity::Warning,
     .because = "The program finds no cluster, and ends with an error.",
     .fix = "write `http://CLUSTER-head-svc:8265` for jobs, and `ray://CLUSTER-head-svc:10001` for "
            "`ray.init`"},
};

}  // namespace

const std::span<const Check> ray_reference_lints = kChecks;

}  // namespace trainyard
