#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "manifest/ray_objects.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {

namespace {

constexpr std::string_view kKinds = "ray.io RayCluster RayJob RayService RayCronJob";
constexpr std::string_view kSource =
    "ray-project/kuberay ray-operator/controllers/ray/utils/validation.go ValidateRayClusterSpec";
constexpr OperatorSpan kRay{.name = "kuberay"};

/// The head and the groups of workers, each with what a message calls it.
struct Group {
  View node;
  std::string name;
};
std::vector<Group> groups_of(View cluster) {
  std::vector<Group> groups;
  if (const View head = get(cluster, "headGroupSpec")) groups.push_back({head, "the head"});
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    groups.push_back({group, "group " + shown(string_at(group, "groupName"))});
  }
  return groups;
}

/// How much of the name of a cluster stands in front of the group in names of pods, at most: what
/// makes the cluster may add to it.
std::size_t longest_cluster_name(View object) {
  constexpr std::size_t kAdded = std::string_view("-raycluster-abcde").size();
  const View metadata = get(object, "metadata");
  const std::string_view name = string_at(metadata, "name");
  if (!name.empty() && string_at(object, "kind") == "RayCluster") return name.size();
  return std::max(name.size(), string_at(metadata, "generateName").size()) + kAdded;
}

/// PodName of the operator takes the first 50 characters of cluster and group, in lower case.
void group_names(View object, CheckContext& context) {
  constexpr std::size_t kKept = 50;
  constexpr std::string_view kFit =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  if (string_at(object, "kind") == "RayCronJob") return;
  const std::size_t before = longest_cluster_name(object) + 1;
  for (View group : items_at(ray_cluster_spec(object), "workerGroupSpecs")) {
    const View name = get(group, "groupName");
    const std::size_t at = string_of(name).find_first_not_of(kFit);
    if (at == std::string_view::npos || before + at >= kKept) continue;
    context.refuse(name, "pods are named by their group, and " + shown(name->text) +
                             " has more than letters, digits, `-` and `.`");
  }
}

void workers(View object, CheckContext& context) {
  group_names(object, context);
  const bool counts = is_kuberay_since("1.6", context.versions());  // brought into range before
  std::map<std::string_view, View> seen;
  for (View group : items_at(ray_cluster_spec(object), "workerGroupSpecs")) {
    const View name = get(group, "groupName");
    const auto [first, is_new] = seen.emplace(string_of(name), name);
    if (name && !is_new) {
      context.refuse(name, "two groups of workers are called " + shown(string_of(name)))
          .also(context.place(first->second), "the first one");
    }
    if (!counts) continue;
    const View least = get(group, "minReplicas");
    const View most = get(group, "maxReplicas");
    for (View count : {least, most}) {
      if (integer_of(count).value_or(0) < 0) {
        context.refuse(count, shown(count.key()) + " cannot be negative");
      }
    }
    // What the schema fills in: none at least, any number at most.
    const std::int64_t low = integer_of(least).value_or(0);
    if (most && integer_of(most).value_or(low) >= 0 && low > integer_of(most).value_or(low)) {
      context.refuse(least, "`minReplicas` " + std::to_string(low) + " is above `maxReplicas` " +
                                std::string(most->text));
    }
  }
}

void start_parameters(View object, CheckContext& context) {
  for (const Group& group : groups_of(ray_cluster_spec(object))) {
    const View parameters = get(group.node, "rayStartParams");
    const View resources = get(group.node, "resources");
    for (std::string_view key : {"num-cpus", "num-gpus", "memory", "resources"}) {
      const View value = get(parameters, key);
      if (string_of(value).empty() || !has_items(resources)) continue;
      context
          .refuse(resources, group.name +
                                 " has its resources here and in `rayStartParams`: "
                                 "only one of them")
          .also(context.place(value), "the other one");
      break;
    }
    if (const View labels = get(parameters, "labels")) {
      context.refuse_key(labels, "labels of " + group.name +
                                     " belong into `labels` beside "
                                     "`rayStartParams`");
    }
    check_labels(get(group.node, "labels"), "label", context);
  }
}

/// Of the cluster, which has those of what it is made for; a RayCronJob keeps its own to itself.
View cluster_annotation(View object, std::string_view key) {
  return string_at(object, "kind") == "RayCronJob" ? View() : annotation(object, key);
}

bool is_true_in_any_case(std::string_view word) {
  constexpr std::string_view wanted = "true";
  return std::ranges::equal(word, wanted, [](char a, char b) { return a == b || a + 32 == b; });
}

void fault_tolerance(View object, CheckContext& context) {
  const View cluster = ray_cluster_spec(object);
  const View head = get(cluster, "headGroupSpec");
  const View container = ray_container(head);
  const View options = get(cluster, "gcsFaultToleranceOptions");
  const View parameters = get(head, "rayStartParams");
  const View enabled = cluster_annotation(object, "ray.io/ft-enabled");
  const View address = environment_entry(container, "RAY_REDIS_ADDRESS");
  const std::string_view word = string_of(enabled);
  const bool switched_on = is_true_in_any_case(word);
  if (options && !word.empty()) {
    context.refuse(enabled,
                   "with `gcsFaultToleranceOptions` the annotation `ray.io/ft-enabled` "
                   "must be left out");
  }
  if (!options && !switched_on && address) {
    context.refuse(address,
                   "`RAY_REDIS_ADDRESS` needs `gcsFaultToleranceOptions`; the address "
                   "belongs into its `redisAddress`");
  }
  const View user = get(parameters, "redis-username");
  const View user_variable = environment_entry(container, "REDIS_USERNAME");
  if (!string_of(user).empty() || user_variable) {
    context.refuse(user_variable ? user_variable : user,
                   "the user name of Redis belongs into `gcsFaultToleranceOptions.redisUsername`");
  }
  if (!options) return;
  if (address) {
    context.refuse(address,
                   "with `gcsFaultToleranceOptions` the address belongs into its "
                   "`redisAddress`");
  }
  const View password = get(parameters, "redis-password");
  const View password_variable = environment_entry(container, "REDIS_PASSWORD");
  if (!string_of(password).empty() || password_variable) {
    context.refuse(password_variable ? password_variable : password,
                   "with `gcsFaultToleranceOptions` the password belongs into its "
                   "`redisPassword`");
  }
  const View space = cluster_annotation(object, "ray.io/external-storage-namespace");
  if (!string_of(space).empty()) {
    context.refuse(space,
                   "with `gcsFaultToleranceOptions` the namespace belongs into its "
                   "`externalStorageNamespace`");
  }
}

void autoscaler(View object, CheckContext& context) {
  const View cluster = ray_cluster_spec(object);
  const View options = get(cluster, "autoscalerOptions");
  const View version = get(options, "version");
  const View variable =
      environment_entry(ray_container(get(cluster, "headGroupSpec")), "RAY_enable_autoscaler_v2");
  const std::string_view value = string_at(variable, "value");
  const bool switched_on = value == "1" || value == "true";
  const bool scales = ray_scales_itself(cluster);
  const bool second = string_of(version) == "v2";

  const bool idle_is_checked = is_kuberay_since("1.6", context.versions());

  if (!scales && switched_on && is_kuberay_since("1.5", context.versions())) {
    context.refuse(variable, "`RAY_enable_autoscaler_v2` needs `enableInTreeAutoscaling: true`");
  }
  if (scales && version && variable) {
    context
        .refuse(variable,
                "`autoscalerOptions.version` says which autoscaler it is; leave the "
                "variable out")
        .also(context.place(version), "the version");
  }
  const View idle = get(options, "idleTimeoutSeconds");
  if (idle_is_checked && integer_of(idle).value_or(0) < 0) {
    context.refuse(idle, "`idleTimeoutSeconds` cannot be negative");
  }
  for (View entry : items_at(options, "env")) {
    if (string_at(entry, "name") != "KUBERAY_GEN_AUTOSCALER_START_CMD") continue;
    if (!is_kuberay_since("1.7", context.versions())) break;
    context.refuse(entry, "`KUBERAY_GEN_AUTOSCALER_START_CMD` is set by KubeRay");
  }
  for (const Group& group : groups_of(cluster)) {
    const View suspended = get(group.node, "suspend");
    if (scales && is_true(suspended)) {
      context.refuse(suspended, group.name +
                                    " cannot be suspended while the cluster scales "
                                    "itself");
    }
    const View own = get(group.node, "idleTimeoutSeconds");
    if (idle_is_checked && integer_of(own).value_or(0) < 0) {
      context.refuse(own, "`idleTimeoutSeconds` cannot be negative");
    } else if (idle_is_checked && own && !second && !switched_on) {
      context.refuse_key(own,
                         "`idleTimeoutSeconds` of a group needs `autoscalerOptions.version: "
                         "v2`");
    }
    const View policy = get(get(get(group.node, "template"), "spec"), "restartPolicy");
    if (scales && second && !string_of(policy).empty() && policy->text != "Never") {
      context.refuse(policy, "with autoscaler v2 the pods of " + group.name +
                                 " must not be restarted: `Never`, or leave it out");
    }
  }
}

void authentication(View object, CheckContext& context) {
  const View cluster = ray_cluster_spec(object);
  const View options = get(cluster, "authOptions");
  const View by_cluster = get(options, "enableK8sTokenAuth");
  const bool token = string_at(options, "mode") == "token";
  if (is_true(by_cluster) && !token) {
    context.refuse(by_cluster, "`enableK8sTokenAuth` needs `mode: token`");
  } else if (is_true(by_cluster) && string_at(object, "kind") != "RayCluster") {
    context.refuse(by_cluster, "tokens of Kubernetes are for a RayCluster only");
  }
  if (!token) return;
  const View version = get(cluster, "rayVersion");
  const auto found = ray_version(string_of(version));
  const std::array<int, 3> wanted =
      is_true(by_cluster) ? std::array{2, 55, 0} : std::array{2, 52, 0};
  const std::string least = is_true(by_cluster) ? "2.55.0" : "2.52.0";
  if (!found || *found < wanted) {
    context.refuse(version ? version : options,
                   "tokens need `rayVersion` " + least + " or later" +
                       (version ? ", not " + shown(string_of(version)) : ", and it is not set"));
  }
  const View secret = get(options, "secretName");
  if (is_true(by_cluster) && !string_of(secret).empty()) {
    context.refuse(secret, "with `enableK8sTokenAuth` there is no secret to name");
  }
}

void rules_for_mode(View holder, std::string_view mode, CheckContext& context) {
  const auto refuse = [&](std::string_view key, std::string_view restricted) {
    const View rules = get(holder, key);
    if (!has_items(rules)) return;
    context.refuse_key(rules, shown(key) + " has no effect with `mode: " + std::string(mode) +
                                  "`, which leaves " + std::string(restricted) + " open");
  };
  if (mode == "DenyAllEgress") refuse("ingressRules", "what comes in");
  if (mode == "DenyAllIngress") refuse("egressRules", "what goes out");
}

void network_policy(View object, CheckContext& context) {
  const View cluster = ray_cluster_spec(object);
  const View policy = get(cluster, "networkPolicy");
  if (!policy) return;
  const std::string_view mode = string_at(policy, "mode");
  rules_for_mode(get(policy, "head"), mode, context);
  rules_for_mode(get(policy, "worker"), mode, context);
  std::vector<std::string_view> names;
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    const View name = get(group, "groupName");
    names.push_back(string_of(name));
    if (string_of(name).empty()) continue;
    if (const Fault fault = why_not_dns_label(name->text)) {
      context.refuse(name, "the group's name becomes a part of that of a NetworkPolicy: " +
                               shown(name->text) + " " + *fault);
    }
  }
  for (View group : items_at(policy, "workerGroups")) {
    rules_for_mode(group, mode, context);
    const View name = get(group, "groupName");
    if (string_of(name).empty() || std::ranges::find(names, name->text) != names.end()) continue;
    context.refuse(name, "there is no group of workers " + shown(name->text));
  }
}

/// The cluster that a RayJob or RayService makes is labelled as theirs, and refused with this.
void made_upgrade(View object, CheckContext& context) {
  const View type = get(get(ray_cluster_spec(object), "upgradeStrategy"), "type");
  if (!type) return;
  const std::string_view kind = string_at(object, "kind");
  const View label = get(get(get(object, "metadata"), "labels"), "ray.io/originated-from-crd");
  const std::string_view maker = kind == "RayCluster" ? string_of(label) : kind;
  const bool service = maker == "RayService";
  if (kind == "RayCluster" && !service && maker != "RayJob") return;
  Diagnostic& found = context.refuse_key(
      type, std::string("`upgradeStrategy` is for a cluster that a user made, not for that of a ") +
                (service ? "RayService" : "RayJob"));
  if (kind == "RayCluster") found.also(context.place(label), "it is labelled as such");
  if (service) found.note("a RayService has an `upgradeStrategy` of its own, below `spec`");
}

constexpr Check kChecks[] = {
    {.name = "ray-worker-groups",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "Groups of workers have names of their own, which those of pods may have in them, "
                 "and no more workers at least than at most.",
     .source = "ray-project/kuberay ray-operator/pkg/webhooks/v1/raycluster_webhook.go, "
               "ray-operator/controllers/ray/utils/validation.go, utils/util.go PodName",
     .object = workers,
     .operators = kRay},
    {.name = "ray-start-parameters",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "Resources and labels of a group stand in one place.",
     .source = kSource,
     .object = start_parameters,
     .operators = {.name = "kuberay", .since = "1.5"}},
    {.name = "ray-fault-tolerance",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "What keeps the state of the head is set up in `gcsFaultToleranceOptions` alone.",
     .source = kSource,
     .object = fault_tolerance,
     .operators = {.name = "kuberay", .since = "1.3"}},
    {.name = "ray-autoscaler",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "A cluster that scales itself has no suspended group, and what only autoscaler v2 "
                 "can do has that.",
     .source = kSource,
     .object = autoscaler,
     .operators = {.name = "kuberay", .since = "1.4"}},
    {.name = "ray-authentication",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "Tokens are used with a Ray that knows them.",
     .source = kSource,
     .object = authentication,
     .operators = {.name = "kuberay", .since = "1.5"}},
    {.name = "ray-made-upgrade",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "Only a RayCluster that a user made says how it is upgraded.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/utils/validation.go "
               "ValidateRayClusterUpgradeOptions",
     .object = made_upgrade,
     .operators = {.name = "kuberay", .since = "1.6"}},
    {.name = "ray-network-policy",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "Exceptions of a network policy are for what it denies, and for groups that there "
                 "are.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/utils/validation.go "
               "validateNetworkPolicy",
     .object = network_policy,
     .operators = {.name = "kuberay", .since = "1.7"}},
};

}  // namespace

constinit const std::span<const Check> ray_cluster_checks = kChecks;

}  // namespace trainyard
