// Sizes of a Ray cluster against what its programs ask for.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/tables.h"
#include "lints/training/ray_gpus.h"
#include "lints/training/ray_programs.h"
#include "manifest/embedded_yaml.h"
#include "manifest/ray_objects.h"
#include "shell/command_line.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The port at which Serve is reached: kuberay ray-operator/controllers/ray/utils/constant.go
std::int64_t serve_port(View cluster) {
  constexpr std::int64_t kDefault = 8000;
  const View spec = get(get(get(cluster, "headGroupSpec"), "template"), "spec");
  for (View container : items_at(spec, "containers")) {
    for (View port : items_at(container, "ports")) {
      if (string_at(port, "name") == "serve")
        return integer_at(port, "containerPort").value_or(kDefault);
    }
  }
  return kDefault;
}

void check_port(const TextYaml& yaml, View cluster, CheckContext& context) {
  const View port = get(get(yaml.root(), "http_options"), "port");
  const auto number = integer_of(port);
  if (!number || *number == serve_port(cluster)) return;
  context.lint(yaml.place(port), "Serve listens at port " + std::to_string(*number) +
                                     ", and its Service leads to " +
                                     std::to_string(serve_port(cluster)));
}

void check_gpus(const TextYaml& yaml, View cluster, CheckContext& context) {
  const auto gpus = gpus_of_cluster(cluster);
  if (!gpus) return;
  std::int64_t wanted = 0;
  View last;
  for (View application : items_at(yaml.root(), "applications")) {
    for (View deployment : items_at(application, "deployments")) {
      const View each = get(get(deployment, "ray_actor_options"), "num_gpus");
      const auto number = integer_of(each);
      if (!number || get(deployment, "placement_group_bundles")) continue;
      if (*number > gpus->of_pod) {
        context.lint(yaml.place(each), "a replica takes " + std::to_string(*number) +
                                           " GPUs, and a pod of the cluster has " +
                                           std::to_string(gpus->of_pod));
        return;
      }
      const auto replicas = integer_at(deployment, "num_replicas");
      if (!replicas || *replicas < 1 || *replicas > 100'000) continue;
      wanted += *number * *replicas;
      last = get(deployment, "num_replicas");
    }
  }
  if (!last || wanted <= gpus->of_all) return;
  context.lint(yaml.place(last), "the replicas take " + std::to_string(wanted) +
                                     " GPUs, and the cluster has " + std::to_string(gpus->of_all));
}

/// A key that is a known one but for its capitals or one letter: Serve takes no others.
void misspelt_keys(View map, std::span<const std::string_view> known, const TextYaml& yaml,
                   CheckContext& context) {
  for (View each : Items(map)) {
    const std::string_view meant = closest_known_value(each.key(), known);
    if (meant.empty() || get(map, meant)) continue;
    context.lint(yaml.place(each->key_span),
                 "Serve knows no " + shown(each.key()) + ": did you mean " + shown(meant) + "?");
  }
}

void check_deployment(View deployment, const TextYaml& yaml, CheckContext& context) {
  constexpr auto known = std::to_array<std::string_view>(
      {"name", "num_replicas", "max_ongoing_requests", "max_queued_requests", "user_config",
       "autoscaling_config", "ray_actor_options", "placement_group_bundles"});
  misspelt_keys(deployment, known, yaml, context);
  constexpr auto options = std::to_array<std::string_view>(
      {"num_cpus", "num_gpus", "memory", "resources", "runtime_env", "accelerator_type"});
  misspelt_keys(get(deployment, "ray_actor_options"), options, yaml, context);
  const View scaling = get(deployment, "autoscaling_config");
  const View replicas = get(deployment, "num_replicas");
  if (scaling && scaling->is_map() && integer_of(replicas)) {
    context.lint(yaml.place(replicas),
                 "Serve takes `num_replicas` or `autoscaling_config`, and "
                 "not both");
  }
  const auto least = integer_at(scaling, "min_replicas");
  const auto most = integer_at(scaling, "max_replicas");
  if (least && most && *least > *most) {
    context.lint(yaml.place(get(scaling, "min_replicas")),
                 "`min_replicas` " + std::to_string(*least) + " is above `max_replicas` " +
                     std::to_string(*most));
  }
}

/// A folder of the image is no place for Serve, which may start replicas anywhere.
void check_folder(View application, const TextYaml& yaml, CheckContext& context) {
  const View folder = get(get(application, "runtime_env"), "working_dir");
  if (string_of(folder).empty() || folder->text.find("://") != std::string_view::npos) return;
  context.lint(yaml.place(folder),
               "Serve takes a `working_dir` from elsewhere only, and not " + shown(folder->text));
}

/// python/ray/serve/config.py ProxyLocation
void check_proxies(const TextYaml& yaml, CheckContext& context) {
  constexpr auto places = std::to_array<std::string_view>({"EveryNode", "HeadOnly", "Disabled"});
  const View place = get(yaml.root(), "proxy_location");
  if (string_of(place).empty() || std::ranges::find(places, place->text) != places.end()) return;
  context.lint(yaml.place(place), shown(place->text) +
                                      " is no place for proxies; expected `EveryNode`, `HeadOnly` "
                                      "or `Disabled`");
}

void serve_settings(View object, CheckContext& context) {
  const View text = get(get(object, "spec"), "serveConfigV2");
  if (string_of(text).empty()) return;
  constexpr auto known = std::to_array<std::string_view>(
      {"name", "route_prefix", "import_path", "runtime_env", "deployments", "args"});
  const TextYaml yaml(text);
  if (const View cluster = get(get(object, "spec"), "rayClusterConfig")) {
    check_port(yaml, cluster, context);
    check_gpus(yaml, cluster, context);
  }
  check_proxies(yaml, context);
  std::vector<std::string_view> prefixes;
  for (View each : items_at(yaml.root(), "applications")) {
    misspelt_keys(each, known, yaml, context);
    check_folder(each, yaml, context);
    for (View deployment : items_at(each, "deployments")) {
      check_deployment(deployment, yaml, context);
    }
    const View prefix = get(each, "route_prefix");
    const bool is_inner = !prefix && std::ranges::any_of(Items(each), [](View one) {
      return one.key() == "route_prefix";  // null: reached by other applications only
    });
    if (is_inner) continue;
    const std::string_view path = prefix ? string_of(prefix) : "/";
    const WordView at = prefix ? yaml.place(prefix) : yaml.place(each);
    if (!path.starts_with('/')) {
      context.lint(at, "a `route_prefix` begins with `/`, not " + shown(path));
    } else if (std::ranges::find(prefixes, path) != prefixes.end()) {
      context.lint(at, "two applications have the `route_prefix` " + shown(path));
    }
    prefixes.push_back(path);
  }
}

/// The most CPUs that a container states, in a pod of any group.
std::optional<Quantity> largest_cpus(View cluster) {
  std::optional<Quantity> most;
  const auto look_at = [&](View group) {
    const View told = get(get(group, "rayStartParams"), "num-cpus");
    if (told) return told->text == "0";  // such a pod takes no tasks
    const View resources = get(ray_container(group), "resources");
    const View limit = get(get(resources, "limits"), "cpu");
    const View cpu = limit ? limit : get(get(resources, "requests"), "cpu");
    const auto amount = cpu ? Quantity::parse(cpu->text) : std::nullopt;
    if (!amount) return false;
    if (!most || *amount > *most) most = amount;
    return true;
  };
  if (!look_at(get(cluster, "headGroupSpec"))) return std::nullopt;
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    if (!look_at(group)) return std::nullopt;
  }
  return most;
}

/// The cluster that a job makes, or the one that it goes to, where that is among the inputs.
View cluster_of_job(View spec, CheckContext& context) {
  const View selector = get(spec, "clusterSelector");
  const std::string_view name = string_at(selector, "ray.io/cluster");
  if (name.empty()) return get(spec, "rayClusterSpec");
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  return get(inventory->find("ray.io", "RayCluster", own, name), "spec");
}

/// Names in `entrypointResources` that no group of the cluster states. Ray finds devices of Google
/// and AWS itself, and KubeRay states those of TPUs.
void check_named_resources(View spec, View cluster, CheckContext& context) {
  const View text = get(spec, "entrypointResources");
  if (string_of(text).empty()) return;
  const TextYaml yaml(text);
  const auto states = [](View group, std::string_view name) {
    const std::string_view told = string_at(get(group, "rayStartParams"), "resources");
    return told.find(name) != told.npos || get(get(group, "resources"), name);
  };
  for (View each : Items(yaml.root())) {
    constexpr auto others = std::to_array<std::string_view>(
        {"TPU", "tpu", "neuron", "accelerator", "node:", "CPU", "GPU", "memory"});
    const std::string_view name = each.key();
    const bool is_other = std::ranges::any_of(
        others, [&](std::string_view part) { return name.find(part) != name.npos; });
    if (is_other || states(get(cluster, "headGroupSpec"), name)) continue;
    bool is_there = false;
    for (View group : items_at(cluster, "workerGroupSpecs")) {
      is_there = is_there || states(group, name);
    }
    if (is_there) continue;
    context.lint(text, "no group of the cluster has a resource " + shown(name));
  }
}

/// The job's own entrypoint is one task: it takes what it asks for of one pod.
void entrypoint_sizes(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View cluster = cluster_of_job(spec, context);
  if (!cluster) return;
  check_named_resources(spec, cluster, context);
  const View gpus = get(spec, "entrypointNumGpus");
  const auto all = gpus_of_cluster(cluster);
  if (const auto number = integer_of(gpus); number && all && *number > all->of_pod) {
    context.lint(gpus, "the entrypoint takes " + std::to_string(*number) +
                           " GPUs of one pod, and the largest has " + std::to_string(all->of_pod));
  }
  const View cpus = get(spec, "entrypointNumCpus");
  const auto number = integer_of(cpus);
  const auto most = largest_cpus(cluster);
  if (number && most && Quantity::of(*number) > *most) {
    context.lint(cpus, "the entrypoint takes " + std::to_string(*number) +
                           " CPUs of one pod, and the largest has " + most->text());
  }
}

constexpr Check kChecks[] = {
    {.name = "ray-serve-settings",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "ray.io RayService",
     .sentence = "The configuration of Ray Serve is one that Serve takes, and fits the cluster.",
     .source = "ray-project/ray python/ray/serve/schema.py ServeDeploySchema, "
               "ServeApplicationSchema, DeploymentSchema; python/ray/serve/config.py; "
               "ray-project/kuberay ray-operator/controllers/ray/utils/constant.go "
               "DefaultServingPort",
     .object = serve_settings,
     .severity = Severity::Warning,
     .because = "Serve refuses the whole configuration, or replicas without a place stay pending: "
                "the service never becomes ready.",
     .fix = "give each application a path of its own that begins with `/`, and a deployment either "
            "a number of replicas or a range; ask for no more GPUs than a pod has, and name the "
            "port `serve` in the head"},
    {.name = "ray-program-sizes",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "verl and OpenRLHF take no more GPUs than their Ray cluster has.",
     .source = "volcengine/verl verl/single_controller/ray/base.py _check_resource_available; "
               "verl/utils/config.py validate_config; OpenRLHF/OpenRLHF "
               "openrlhf/cli/train_ppo_ray.py",
     .workload = check_ray_programs,
     .severity = Severity::Warning,
     .because = "verl ends with an error, and OpenRLHF waits for ever for a placement group.",
     .fix = "let nodes times GPUs be what the pods of the cluster have together"},
    {.name = "ray-entrypoint-sizes",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "ray.io RayJob",
     .sentence = "The entrypoint of a RayJob fits into one pod of its cluster.",
     .source = "ray-project/ray python/ray/dashboard/modules/job/job_manager.py "
               "_get_supervisor_runtime_env, entrypoint_num_cpus",
     .object = entrypoint_sizes,
     .severity = Severity::Warning,
     .because = "Ray looks for a pod with so much, finds none, and the job stays pending.",
     .fix = "ask for what one pod has"},
};

}  // namespace

const std::span<const Check> ray_serve_lints = kChecks;

}  // namespace trainyard
