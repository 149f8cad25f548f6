#include "driver/survey/real_nodes.h"

#include <algorithm>
#include <map>

#include "manifest/selectors.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void include(Amounts& sum, std::string_view resource, const Quantity& amount) {
  Quantity& has = sum[std::string(resource)];
  has = add(has, amount).value_or(has);
}

Amounts amounts_at(View map, std::string_view key) {
  Amounts amounts;
  for (const View entry : entries_at(map, key)) {
    if (const auto amount = Quantity::parse(entry.text())) amounts.emplace(entry.key(), *amount);
  }
  return amounts;
}

void add_all(Amounts& sum, const Amounts& more) {
  for (const auto& [resource, amount] : more) include(sum, resource, amount);
}

void raise_to(Amounts& sum, const Amounts& least) {
  for (const auto& [resource, amount] : least) {
    Quantity& has = sum[resource];
    has = std::max(has, amount);
  }
}

bool is_ready(View node) {
  for (const View condition : items_at(get(node, "status"), "conditions")) {
    if (string_at(condition, "type") == "Ready") return string_at(condition, "status") == "True";
  }
  return false;
}

/// Kubernetes puts these on nodes for a while: not ready, cordoned, under pressure.
bool is_of_its_state(std::string_view key) {
  return key.starts_with("node.kubernetes.io/") ||
         key.starts_with("node.cloudprovider.kubernetes.io/");
}

RealNode read_node(View object) {
  RealNode node;
  const View metadata = get(object, "metadata");
  node.name = string_at(metadata, "name");
  for (const View label : entries_at(metadata, "labels")) {
    node.labels.emplace(label.key(), label.text());
  }
  for (const View taint : items_at(get(object, "spec"), "taints")) {
    const std::string_view key = string_at(taint, "key");
    const std::string_view effect = string_at(taint, "effect");
    if (effect == "PreferNoSchedule" || is_of_its_state(key)) continue;
    node.taints.push_back({key, string_at(taint, "value"), effect});
  }
  node.allocatable = amounts_at(get(object, "status"), "allocatable");
  node.is_ready = is_ready(object);
  node.is_cordoned = is_true(get(get(object, "spec"), "unschedulable"));
  return node;
}

bool tolerates(View toleration, const NodeTaint& taint) {
  const std::string_view key = string_at(toleration, "key");
  const std::string_view effect = string_at(toleration, "effect");
  if (!effect.empty() && effect != taint.effect) return false;
  if (string_at(toleration, "operator") == "Exists") return key.empty() || key == taint.key;
  return key == taint.key && string_at(toleration, "value") == taint.value;
}

bool fits_affinity(View pod, const RealNode& node) {
  const View required = get(get(get(pod, "affinity"), "nodeAffinity"),
                            "requiredDuringSchedulingIgnoredDuringExecution");
  const Items terms = items_at(required, "nodeSelectorTerms");
  if (!required) return true;
  const LabelOf label = [&node](std::string_view key) -> std::optional<std::string> {
    const auto found = node.labels.find(key);
    return found == node.labels.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  return std::any_of(terms.begin(), terms.end(),
                     [&label](View term) { return selects(term, label); });
}

/// Whether the DaemonSet controller makes a pod for a node. Taints of a node's state keep none
/// away.
bool runs_on(View pod, const RealNode& node) {
  for (const View each : entries_at(pod, "nodeSelector")) {
    if (node.label(each.key()) != each.text()) return false;
  }
  const Items tolerations = items_at(pod, "tolerations");
  const bool is_tolerated = std::ranges::all_of(node.taints, [&](const NodeTaint& taint) {
    return std::any_of(tolerations.begin(), tolerations.end(),
                       [&taint](View each) { return tolerates(each, taint); });
  });
  return is_tolerated && fits_affinity(pod, node);
}

void add_daemons(const Survey& survey, RealNode& node) {
  for (const View daemon : survey.kind("DaemonSet.apps").items) {
    const View pod = get(get(daemon, "spec"), "template");
    const Amounts requests = requests_of(pod);
    if (requests.empty() || !runs_on(get(pod, "spec"), node)) continue;
    add_all(node.of_daemons, requests);
    ++node.daemons;
  }
}

Quantity difference(const Amounts& all, const Amounts& used, std::string_view resource) {
  const auto has = all.find(resource);
  if (has == all.end()) return {};
  const auto taken = used.find(resource);
  if (taken == used.end()) return has->second;
  const auto negative = multiply(taken->second, -1);
  const auto left = negative ? add(has->second, *negative) : std::nullopt;
  return left && !left->is_negative() ? *left : Quantity();
}

}  // namespace

bool RealNode::has_labels(const std::map<std::string, std::string, std::less<>>& wanted) const {
  return std::ranges::all_of(wanted,
                             [this](const auto& each) { return label(each.first) == each.second; });
}

Quantity RealNode::free(std::string_view resource) const {
  return difference(allocatable, requested, resource);
}

Quantity RealNode::for_jobs(std::string_view resource) const {
  return difference(allocatable, of_daemons, resource);
}

std::string_view RealNode::label(std::string_view key) const {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view() : found->second;
}

std::vector<RealNode> real_nodes(const Survey& survey) {
  std::vector<RealNode> nodes;
  for (const View each : survey.kind("Node").items) nodes.push_back(read_node(each));
  std::ranges::sort(nodes, {}, &RealNode::name);
  std::map<std::string_view, RealNode*> by_name;
  for (RealNode& node : nodes) {
    by_name.emplace(node.name, &node);
    add_daemons(survey, node);
  }
  for (const View pod : survey.kind("Pod").items) {
    const auto found = by_name.find(string_at(get(pod, "spec"), "nodeName"));
    if (found != by_name.end()) add_all(found->second->requested, requests_of(pod));
  }
  return nodes;
}

bool has_gpus(const RealNode& node) {
  return std::ranges::any_of(node.allocatable, [](const auto& each) {
    const bool is_gpu = each.first == "nvidia.com/gpu" ||
                        each.first.starts_with("nvidia.com/mig-") ||
                        each.first == "nvidia.com/gpu.shared" || each.first == "amd.com/gpu";
    return is_gpu && !each.second.is_zero();
  });
}

/// As the scheduler counts (kubernetes/kubernetes staging/src/k8s.io/component-helpers/resource/
/// helpers.go): init containers run one after the other, beside the sidecars before them.
Amounts requests_of(View pod) {
  const View spec = get(pod, "spec");
  const auto of = [](View container) {
    return amounts_at(get(container, "resources"), "requests");
  };
  Amounts sum;
  for (const View each : items_at(spec, "containers")) add_all(sum, of(each));
  Amounts sidecars;
  Amounts most;
  for (const View each : items_at(spec, "initContainers")) {
    Amounts now = sidecars;
    add_all(now, of(each));
    raise_to(most, now);
    if (string_at(each, "restartPolicy") == "Always") sidecars = now;
  }
  add_all(sum, sidecars);
  raise_to(sum, most);
  add_all(sum, amounts_at(spec, "overhead"));
  return sum;
}

}  // namespace trainyard
