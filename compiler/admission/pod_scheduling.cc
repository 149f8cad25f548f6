#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "admission/name_checks.h"
#include "admission/node_terms.h"
#include "admission/tables.h"
#include "admission/tolerations.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kTerms =
    std::to_array<std::string_view>({"requiredDuringSchedulingIgnoredDuringExecution",
                                     "preferredDuringSchedulingIgnoredDuringExecution"});

void node_selector(const Pod& pod, CheckContext& context) {
  check_labels(get(pod.spec, "nodeSelector"), "node label", context);
}

void tolerations(const Pod& pod, CheckContext& context) {
  check_tolerations(get(pod.spec, "tolerations"), context);
}

void weight(View holder, CheckContext& context) {
  const View value = get(holder, "weight");
  const auto number = integer_of(value);
  if (!number || (*number >= 1 && *number <= 100)) return;
  context.refuse(value, "a weight is between 1 and 100, not " + std::to_string(*number));
}

void node_affinity(const Pod& pod, CheckContext& context) {
  const View affinity = get(get(pod.spec, "affinity"), "nodeAffinity");
  const View required = get(affinity, kTerms[0]);
  if (required && required->is_map()) check_node_selector_terms(required, context);
  for (View item : items_at(affinity, kTerms[1])) {
    weight(item, context);
    check_node_term(get(item, "preference"), false, context);
  }
}

/// How often a selector asks for a label.
std::size_t times_in_selector(View selector, std::string_view key) {
  std::size_t times = get(get(selector, "matchLabels"), key) ? 1 : 0;
  for (View expression : items_at(selector, "matchExpressions")) {
    if (string_at(expression, "key") == key) ++times;
  }
  return times;
}

/// Labels that are added to a selector must not stand there already. `added` says which are.
template <class Added>
void same_key_twice(View keys, View selector, Added added, CheckContext& context) {
  if (!has_items(keys)) return;
  if (!selector) {
    context.refuse_key(keys, shown(keys.key()) + " adds to a `labelSelector`, and there is none");
    return;
  }
  for (View key : Items(keys)) {
    if (key.kind() != Kind::String) continue;
    check_label_key(key, context);
    if (keys.key() != "matchLabelKeys") continue;
    const std::size_t times = times_in_selector(selector, key->text);
    if (times >= 2 || (times == 1 && added(key->text))) {
      context.refuse(key, "label " + shown(key->text) + " stands in `labelSelector` already");
    }
  }
}

/// A label is added to the selector of a term where the pod has it
/// (kubernetes/kubernetes pkg/registry/core/pod/strategy.go).
void term_label_keys(View term, View pod_labels, CheckContext& context) {
  const View matched = get(term, "matchLabelKeys");
  const View mismatched = get(term, "mismatchLabelKeys");
  const View selector = get(term, "labelSelector");
  const auto has_pod = [&](std::string_view key) { return bool(get(pod_labels, key)); };
  same_key_twice(matched, selector, has_pod, context);
  same_key_twice(mismatched, selector, has_pod, context);
  for (View key : items_at(term, "matchLabelKeys")) {
    for (View other : items_at(term, "mismatchLabelKeys")) {
      if (key.kind() != Kind::String || string_of(other) != key->text) continue;
      context.refuse(key, "label " + shown(key->text) + " stands in `mismatchLabelKeys`, too")
          .also(context.place(other), "there");
    }
  }
}

void pod_term(View term, View pod_labels, CheckContext& context) {
  const View topology = get(term, "topologyKey");
  if (!topology || (topology.kind() == Kind::String && topology->text.empty())) {
    if (!context.is_flagged(term)) {
      context.refuse(term,
                     "the term has no `topologyKey`; expected a label of nodes such as "
                     "`kubernetes.io/hostname`");
    }
  } else {
    check_label_key(topology, context);
  }
  check_selector(get(term, "labelSelector"), context);
  check_selector(get(term, "namespaceSelector"), context);
  for (View name : items_at(term, "namespaces")) {
    context.name(name, "namespace", why_not_dns_label);
  }
  term_label_keys(term, pod_labels, context);
}

void pod_affinity(const Pod& pod, CheckContext& context) {
  const View labels = get(pod.metadata, "labels");
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const View affinity = get(get(pod.spec, "affinity"), kind);
    for (View term : items_at(affinity, kTerms[0])) {
      if (term->is_map()) pod_term(term, labels, context);
    }
    for (View item : items_at(affinity, kTerms[1])) {
      weight(item, context);
      const View term = get(item, "podAffinityTerm");
      if (term && term->is_map()) pod_term(term, labels, context);
    }
  }
}

void spread_constraint(View constraint, View pod_labels, CheckContext& context) {
  constexpr auto actions = std::to_array<std::string_view>({"DoNotSchedule", "ScheduleAnyway"});
  constexpr auto policies = std::to_array<std::string_view>({"Honor", "Ignore"});
  const View skew = get(constraint, "maxSkew");
  if (integer_of(skew).value_or(1) <= 0) {
    context.refuse(skew, "`maxSkew` must be above 0");
  }
  require_text(constraint, "topologyKey", context);
  const View action = get(constraint, "whenUnsatisfiable");
  context.allow_written(action, "value of `whenUnsatisfiable`", actions);
  const View domains = get(constraint, "minDomains");
  if (integer_of(domains).value_or(1) <= 0) {
    context.refuse(domains, "`minDomains` must be above 0");
  } else if (domains && string_of(action) == "ScheduleAnyway") {
    context.refuse_key(domains, "`minDomains` needs `whenUnsatisfiable: DoNotSchedule`");
  }
  context.allow(get(constraint, "nodeAffinityPolicy"), "node policy", policies);
  context.allow(get(constraint, "nodeTaintsPolicy"), "node policy", policies);
  check_selector(get(constraint, "labelSelector"), context);
  // Before Kubernetes 1.34 (MatchLabelKeysInPodTopologySpreadSelectorMerge) of any pod.
  const auto added = [&](std::string_view key) {
    return context.before(34) || bool(get(pod_labels, key));
  };
  same_key_twice(get(constraint, "matchLabelKeys"), get(constraint, "labelSelector"), added,
                 context);
}

void topology_spread(const Pod& pod, CheckContext& context) {
  std::vector<View> seen;
  for (View constraint : items_at(pod.spec, "topologySpreadConstraints")) {
    if (!constraint->is_map()) continue;
    spread_constraint(constraint, get(pod.metadata, "labels"), context);
    for (View first : seen) {
      if (string_at(first, "topologyKey") != string_at(constraint, "topologyKey") ||
          string_at(first, "whenUnsatisfiable") != string_at(constraint, "whenUnsatisfiable")) {
        continue;
      }
      if (!context.is_flagged(constraint)) {
        context
            .refuse(constraint,
                    "two constraints for the same `topologyKey` and "
                    "`whenUnsatisfiable`")
            .also(context.place(first), "the first one");
      }
      break;
    }
    seen.push_back(constraint);
  }
}

void gates(const Pod& pod, CheckContext& context) {
  for (View gate : items_at(pod.spec, "schedulingGates"))
    check_label_key(get(gate, "name"), context);
  unique_names(get(pod.spec, "schedulingGates"), "scheduling gate", context);
  for (View gate : items_at(pod.spec, "readinessGates")) {
    check_label_key(get(gate, "conditionType"), context);
  }
  const View node = get(pod.spec, "nodeName");
  if (!string_of(node).empty() && has_items(get(pod.spec, "schedulingGates"))) {
    context.refuse(node, "a pod with scheduling gates has no node yet: leave `nodeName` out");
  }
}

constexpr Check kChecks[] = {
    {.name = "node-selector",
     .group = CheckGroup::Core,
     .sentence = "A node selector holds labels that a node can have.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidatePodSpec",
     .pod = node_selector},
    {.name = "tolerations",
     .group = CheckGroup::Core,
     .sentence = "A toleration matches by `Exists` without a value or by `Equal` with one, for an "
                 "effect that exists.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateTolerations",
     .pod = tolerations},
    {.name = "node-affinity",
     .group = CheckGroup::Core,
     .sentence = "Terms about nodes have operators with as many values as these take.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateNodeAffinity",
     .pod = node_affinity},
    {.name = "pod-affinity",
     .group = CheckGroup::Core,
     .sentence = "Terms about other pods have a topology key and a selector that can match.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validatePodAffinityTerm",
     .pod = pod_affinity},
    {.name = "topology-spread",
     .group = CheckGroup::Core,
     .sentence = "Spread constraints have a skew above 0, a known action, and come once for each "
                 "topology.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateTopologySpreadConstraints",
     .pod = topology_spread},
    {.name = "pod-gates",
     .group = CheckGroup::Core,
     .sentence = "Scheduling and readiness gates have names, each once.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateSchedulingGates",
     .pod = gates},
};

}  // namespace

constinit const std::span<const Check> pod_scheduling_checks = kChecks;

}  // namespace trainyard
