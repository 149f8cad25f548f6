#include "effective/ray_cluster.h"

#include <algorithm>
#include <limits>

#include "manifest/ray_objects.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostOfName = 50;

/// With five characters for each random end, which is shown in more.
std::size_t real_size(std::string_view name) {
  std::size_t size = name.size();
  for (std::size_t at = name.find(kRandom); at != name.npos; at = name.find(kRandom, at + 1)) {
    size -= kRandom.size() - 5;
  }
  return size;
}

View metadata_of(View object) {
  return get(object, "metadata");
}

/// A cluster can be labelled by hand as well.
std::string_view creator_of(View object) {
  const std::string_view kind = string_at(object, "kind");
  if (kind != "RayCluster") return kind;
  const std::string_view label =
      string_at(get(metadata_of(object), "labels"), "ray.io/originated-from-crd");
  return label == "RayJob" || label == "RayService" ? label : kind;
}

/// That a job runs in one that is there already.
std::string_view selected(View object) {
  return string_at(get(get(object, "spec"), "clusterSelector"), "ray.io/cluster");
}

bool by_account(const RayCluster& cluster) {
  return is_true(get(get(cluster.spec, "authOptions"), "enableK8sTokenAuth"));
}

constexpr std::string_view kTokenVolume = "ray-token";

bool has_named(View owner, std::string_view list, std::string_view name) {
  for (View each : items_at(owner, list)) {
    if (string_at(each, "name") == name) return true;
  }
  return false;
}

}  // namespace

RayCluster::RayCluster(View of)
    : object(of),
      spec(ray_cluster_spec(of)),
      annotations(get(metadata_of(of), "annotations")),
      name(name_of(of)),
      creator(creator_of(of)) {
  if (string_at(of, "kind") == "RayCluster") return;
  const std::string_view existing = selected(of);
  if (existing.empty()) {
    name += "-" + std::string(kRandom);
  } else {
    name = existing;
    spec = {};
  }
}

View RayCluster::head() const {
  return get(spec, "headGroupSpec");
}

std::string RayCluster::service() const {
  const std::string_view own = string_at(metadata_of(get(head(), "headService")), "name");
  return own.empty() ? name + "-head-svc" : std::string(own);
}

std::string RayCluster::address() const {
  return service() + "." + std::string(namespace_of(object)) + ".svc.cluster.local";
}

std::string RayCluster::port() const {
  const View given = get(get(head(), "rayStartParams"), "port");
  return given ? std::string(given->text) : "6379";
}

std::string RayCluster::pod_prefix(std::string_view group) const {
  std::string prefix = group.empty() ? name : name + "-" + std::string(group);
  while (real_size(prefix) > kMostOfName && !prefix.ends_with(kRandom)) prefix.pop_back();
  return lower_case(prefix) + (group.empty() ? "-head-" : "-worker-");
}

std::string RayCluster::checked_name() const {
  return ray_checked_name(name);
}

std::string ray_checked_name(std::string name) {
  while (real_size(name) > kMostOfName) name.erase(0, 1);
  const bool begins_well = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  if (!name.empty() && !begins_well) name.front() = 'r';
  return name;
}

std::int64_t ray_workers(View group) {
  if (is_true(get(group, "suspend"))) return 0;
  constexpr std::int64_t any = std::numeric_limits<std::int32_t>::max();
  const std::int64_t least = integer_at(group, "minReplicas").value_or(0);
  const std::int64_t most = integer_at(group, "maxReplicas").value_or(any);
  const std::int64_t given = integer_at(group, "replicas").value_or(0);
  const std::int64_t count = given < least ? least : std::min(given, most);
  return count * integer_at(group, "numOfHosts").value_or(1);
}

bool has_variable(View container, std::string_view name) {
  return has_named(container, "env", name);
}

void run_script(PodBuilder& maker, NodeId container, std::string_view flags,
                std::string_view script, OriginId mark) {
  const NodeId command = maker.list(mark);
  for (std::string_view word : {std::string_view("/bin/bash"), flags, std::string_view("--")}) {
    maker.tree.append(command, maker.text(word, mark));
  }
  maker.put(container, "command", command);
  const NodeId args = maker.list(mark);
  maker.tree.append(args, maker.text(script, mark));
  maker.put(container, "args", args);
}

void put_resources(PodBuilder& maker, NodeId container, const RayAmounts& requests,
                   const RayAmounts& limits, OriginId mark) {
  const NodeId made = maker.map_at(container, "resources", mark);
  for (const auto& [kind, of] : {std::pair("requests", requests), std::pair("limits", limits)}) {
    const NodeId amounts = maker.map_at(made, kind, mark);
    maker.put(amounts, "cpu", of.cpu, mark);
    maker.put(amounts, "memory", of.memory, mark);
  }
}

void add_token(PodBuilder& maker, const RayCluster& cluster, NodeId container) {
  const View options = get(cluster.spec, "authOptions");
  const View mode = get(options, "mode");
  if (string_of(mode) != "token") return;
  const OriginId mark = maker.mark("token that Ray asks for", mode);
  const auto unless_given = [&](std::string_view name, std::string_view value) {
    if (has_variable(maker.view(container), name)) return;
    append_env(maker, container, name, value, mark);
  };
  unless_given("RAY_AUTH_MODE", "token");
  if (by_account(cluster)) {
    unless_given("RAY_ENABLE_K8S_TOKEN_AUTH", "true");
    if (has_named(maker.view(container), "volumeMounts", kTokenVolume)) return;
    const NodeId made = mount(maker, kTokenVolume, "/var/run/secrets/ray.io/serviceaccount", mark);
    maker.put(made, "readOnly", maker.truth(true, mark));
    append_to(maker, container, "volumeMounts", made);
    return;
  }
  if (has_variable(maker.view(container), "RAY_AUTH_TOKEN")) return;
  const std::string_view secret = string_at(options, "secretName");
  const NodeId variable = maker.map(mark);
  maker.put(variable, "name", "RAY_AUTH_TOKEN", mark);
  const NodeId key = maker.map_at(maker.map_at(variable, "valueFrom", mark), "secretKeyRef", mark);
  maker.put(key, "name", secret.empty() ? cluster.checked_name() : std::string(secret), mark);
  maker.put(key, "key", "auth_token", mark);
  append_env(maker, container, variable);
}

void add_token_volume(PodBuilder& maker, const RayCluster& cluster, NodeId pod_spec) {
  const View options = get(cluster.spec, "authOptions");
  if (string_at(options, "mode") != "token" || !by_account(cluster)) return;
  if (has_named(maker.view(pod_spec), "volumes", kTokenVolume)) return;
  const OriginId mark =
      maker.mark("tokens of the pod's account", get(options, "enableK8sTokenAuth"));
  const NodeId volume = maker.map(mark);
  maker.put(volume, "name", kTokenVolume, mark);
  const NodeId source = maker.map(mark);
  maker.put(maker.map_at(source, "serviceAccountToken", mark), "path", "token", mark);
  append_to(maker, maker.map_at(volume, "projected", mark), "sources", source);
  append_to(maker, pod_spec, "volumes", volume);
}

}  // namespace trainyard
