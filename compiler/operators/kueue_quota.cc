#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "admission/immutable_fields.h"
#include "admission/name_checks.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kQueues = "kueue.x-k8s.io ClusterQueue Cohort";
constexpr std::string_view kQueueSource =
    "kubernetes-sigs/kueue pkg/webhooks/clusterqueue_webhook.go";
constexpr OperatorSpan kKueue{.name = "kueue"};

std::optional<Quantity> amount_of(View value) {
  if (!value || !value->is_scalar() || value.kind() == Kind::Null) return std::nullopt;
  return Quantity::parse(value->text);
}

bool is_cohort(View object) {
  return string_at(object, "kind") == "Cohort";
}

/// The field with what the queue or cohort is in: its name differs by version.
bool has_parent(View object) {
  const View spec = get(object, "spec");
  constexpr auto keys =
      std::to_array<std::string_view>({"cohort", "cohortName", "parent", "parentName"});
  for (std::string_view key : keys) {
    if (!string_at(spec, key).empty()) return true;
  }
  return false;
}

void covered_resources(View object, CheckContext& context) {
  std::map<std::string_view, View> resources;
  std::map<std::string_view, View> flavors;
  for (View group : items_at(get(object, "spec"), "resourceGroups")) {
    std::vector<View> covered;
    for (View name : items_at(group, "coveredResources")) {
      if (name.kind() != Kind::String) continue;
      covered.push_back(name);
      if (const Fault fault = why_not_label_key(name->text)) {
        context.refuse(name, "the resource name " + shown(name->text) + " " + *fault);
      }
      const auto [first, is_new] = resources.emplace(name->text, name);
      if (is_new) continue;
      context.refuse(name, "resource " + shown(name->text) + " is covered twice")
          .also(context.place(first->second), "the first one");
    }
    for (View flavor : items_at(group, "flavors")) {
      std::size_t i = 0;
      for (View resource : items_at(flavor, "resources")) {
        const View name = get(resource, "name");
        if (i >= covered.size()) break;
        const View wanted = covered[i++];
        if (string_of(name).empty() || name->text == wanted->text) continue;
        context
            .refuse(name, "found " + shown(name->text) + ", where `coveredResources` has " +
                              shown(wanted->text) + ": the order must be the same")
            .also(context.place(wanted), "the one that is covered");
      }
      const View name = get(flavor, "name");
      if (string_of(name).empty()) continue;
      const auto [first, is_new] = flavors.emplace(name->text, name);
      if (is_new || context.is_flagged(flavor)) continue;
      context.refuse(name, "flavor " + shown(name->text) + " comes twice")
          .also(context.place(first->second), "the first one");
    }
  }
}

/// Calls `check` with the quotas of each resource of each flavor.
template <class Each>
void each_quota(View object, Each check) {
  for (View group : items_at(get(object, "spec"), "resourceGroups")) {
    for (View flavor : items_at(group, "flavors")) {
      for (View resource : items_at(flavor, "resources")) check(resource);
    }
  }
}

void quotas(View object, CheckContext& context) {
  const bool cohort = is_cohort(object);
  const bool parent = has_parent(object);
  each_quota(object, [&](View resource) {
    for (std::string_view key : {"nominalQuota", "borrowingLimit", "lendingLimit"}) {
      const View value = get(resource, key);
      const auto amount = amount_of(value);
      if (amount && amount->is_negative()) {
        context.refuse(value, shown(key) + " cannot be negative");
        continue;
      }
      // The schema speaks of a ClusterQueue's borrowing limit.
      const bool limit = key == "lendingLimit" || (key == "borrowingLimit" && cohort);
      if (value && limit && !parent) {
        context.refuse_key(value, cohort ? shown(key) + " is for a cohort with a parent"
                                         : shown(key) + " is for a queue in a cohort");
        continue;
      }
      const auto nominal = amount_of(get(resource, "nominalQuota"));
      if (key == "lendingLimit" && !cohort && amount && nominal && *amount > *nominal) {
        context.refuse(value, "the queue would lend " + shown(value->text) +
                                  ", more than its quota of " +
                                  shown(get(resource, "nominalQuota")->text));
      }
    }
  });
}

void sizes(View object, CheckContext& context) {
  const View groups = get(get(object, "spec"), "resourceGroups");
  std::uint32_t flavors = 0;
  std::uint32_t covered = 0;
  for (View group : items_at(get(object, "spec"), "resourceGroups")) {
    std::uint32_t pairs = 0;
    for (View flavor : items_at(group, "flavors")) {
      ++flavors;
      const View resources = get(flavor, "resources");
      if (resources) pairs += resources->size;
    }
    const View names = get(group, "coveredResources");
    if (names) covered += names->size;
    if (pairs > 512) {
      context.refuse(group, "a group has at most 512 pairs of flavor and resource, not " +
                                std::to_string(pairs));
    }
  }
  if (flavors > 256) {
    context.refuse(groups, "a queue has at most 256 flavors, not " + std::to_string(flavors));
  }
  if (covered > 256) {
    context.refuse(groups, "a queue covers at most 256 resources, not " + std::to_string(covered));
  }
}

void fair_sharing(View object, CheckContext& context) {
  const View weight = get(get(get(object, "spec"), "fairSharing"), "weight");
  const auto amount = amount_of(weight);
  if (!amount) return;
  if (amount->is_negative()) {
    context.refuse(weight, "a weight cannot be negative");
  } else if (!amount->is_zero() && *amount <= *Quantity::parse("1n")) {
    context.refuse(weight, "the weight " + shown(weight->text) +
                               " is too small to count with; expected 0, or more than `1n`");
  }
}

std::set<std::string_view> flavors_of(View queue) {
  std::set<std::string_view> flavors;
  for (View group : items_at(get(queue, "spec"), "resourceGroups")) {
    for (View flavor : items_at(group, "flavors")) flavors.insert(string_at(flavor, "name"));
  }
  return flavors;
}

std::set<std::string_view> texts_at(View map, std::string_view key) {
  std::set<std::string_view> texts;
  for (View item : items_at(map, key)) texts.insert(string_of(item));
  return texts;
}

View checks_of(View queue) {
  return get(get(queue, "spec"), "admissionChecksStrategy");
}

/// A check that is for these flavors already may stay as it is, as long as the queue has the same.
bool was_there(View check, View before) {
  for (View each : items_at(checks_of(before), "admissionChecks")) {
    if (string_at(each, "name") != string_at(check, "name")) continue;
    return texts_at(each, "onFlavors") == texts_at(check, "onFlavors");
  }
  return false;
}

void admission_checks(View object, CheckContext& context) {
  const std::set<std::string_view> flavors = flavors_of(object);
  const View before = context.old();
  const bool same_flavors = before && flavors_of(before) == flavors;
  for (View check : items_at(checks_of(object), "admissionChecks")) {
    if (same_flavors && was_there(check, before)) continue;
    for (View flavor : items_at(check, "onFlavors")) {
      if (flavor.kind() != Kind::String || flavors.contains(flavor->text)) continue;
      context.refuse(flavor, "the queue has no flavor " + shown(flavor->text));
    }
  }
}

/// Not held back by the feature gate.
void policy_stays(View object, CheckContext& context) {
  const View before = context.old();
  if (!before) return;
  const View spec = get(object, "spec");
  const View now = get(spec, "concurrentAdmissionPolicy");
  const View was = get(get(before, "spec"), "concurrentAdmissionPolicy");
  if (static_cast<bool>(now) == static_cast<bool>(was) && !changed(was, now, {})) return;
  context.refuse(now ? now : spec,
                 "`concurrentAdmissionPolicy` does not change once a queue is there");
}

void concurrent_admission(View object, CheckContext& context) {
  policy_stays(object, context);
  const View spec = get(object, "spec");
  const View policy = get(spec, "concurrentAdmissionPolicy");
  if (!policy) return;
  const auto warn = [&](View at, std::string message) {
    context.warn(at, std::move(message))
        .note("feature gate `ConcurrentAdmission` is off by default; with it Kueue refuses this");
  };
  const View groups = get(spec, "resourceGroups");
  const std::uint32_t count = groups && groups->is_seq() ? groups->size : 0;
  const std::set<std::string_view> flavors = flavors_of(object);
  if (count != 1) {
    warn(count > 0 ? groups : policy,
         "`concurrentAdmissionPolicy` needs exactly one group of resources, and there are " +
             std::to_string(count));
  } else if (flavors.size() > 16) {
    warn(groups, "with `concurrentAdmissionPolicy` a queue has at most 16 flavors, not " +
                     std::to_string(flavors.size()));
  }
  const View migration = get(policy, "migration");
  const View constraints = get(migration, "constraints");
  const View last = get(constraints, "lastAcceptableFlavorName");
  const View mode = get(migration, "mode");
  if (constraints && !string_of(mode).empty() && mode->text != "TryPreferredFlavors") {
    warn(mode, "`constraints` go with `mode: TryPreferredFlavors`");
  } else if (last && !flavors.contains(string_of(last))) {
    warn(last, "the queue has no flavor " + shown(string_of(last)));
  }
  const View strategy = get(spec, "queueingStrategy");
  if (string_of(strategy) == "StrictFIFO") {
    warn(strategy, "`StrictFIFO` does not go with `concurrentAdmissionPolicy`");
  }
}

void selector(View object, CheckContext& context) {
  check_selector(get(get(object, "spec"), "namespaceSelector"), context);
}

void flavor(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  check_labels(get(spec, "nodeLabels"), "label", context);
  std::map<std::pair<std::string_view, std::string_view>, View> seen;
  for (View taint : items_at(spec, "nodeTaints")) {
    const View key = get(taint, "key");
    const View value = get(taint, "value");
    if (key && key.kind() == Kind::String) {
      if (const Fault fault = why_not_label_key(key->text)) {
        context.refuse(key, "the key " + shown(key->text) + " of a taint " + *fault);
      }
    }
    if (!string_of(value).empty()) {
      if (const Fault fault = why_not_label_value(value->text)) {
        context.refuse(value, "the value " + shown(value->text) + " of a taint " + *fault);
      }
    }
    const auto [first, is_new] =
        seen.emplace(std::pair(string_of(key), string_at(taint, "effect")), taint);
    if (is_new) continue;
    context
        .refuse(taint, "two taints have the key " + shown(string_of(key)) + " and the effect " +
                           shown(string_at(taint, "effect")))
        .also(context.place(first->second), "the first one");
  }
  for (View toleration : items_at(spec, "tolerations")) {
    const View key = get(toleration, "key");
    if (string_of(key).empty()) continue;
    if (const Fault fault = why_not_label_key(key->text)) {
      context.refuse(key, "the key " + shown(key->text) + " of a toleration " + *fault);
    }
  }
}

/// The configuration that a check of admission by Kueue itself needs.
struct Controller {
  std::string_view name;
  std::string_view kind;
};
constexpr Controller kControllers[] = {
    {"kueue.x-k8s.io/multikueue", "MultiKueueConfig"},
    {"kueue.x-k8s.io/provisioning-request", "ProvisioningRequestConfig"},
};

void parameters(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View name = get(spec, "controllerName");
  for (const Controller& controller : kControllers) {
    if (string_of(name) != controller.name) continue;
    const View own = get(spec, "parameters");
    const std::string wanted =
        "`apiGroup: kueue.x-k8s.io`, `kind: " + std::string(controller.kind) + "` and a name";
    if (!own) {
      context.refuse(name, "this controller needs `parameters` with " + wanted);
    } else if (string_at(own, "apiGroup") != "kueue.x-k8s.io" ||
               string_at(own, "kind") != controller.kind || string_at(own, "name").empty()) {
      context.refuse(own, "the controller " + shown(controller.name) + " wants " + wanted);
    }
  }
}

void amounts_of(View resources, CheckContext& context) {
  for (std::string_view kind : {"requests", "limits"}) {
    for (View entry : entries_at(resources, kind)) {
      const auto amount = amount_of(entry);
      if (entry.key() == "pods") {
        context.refuse_key(entry, "Kueue keeps the resource `pods` for itself");
      } else if (amount && amount->is_negative()) {
        context.refuse(entry, shown(entry.key()) + " cannot be negative");
      }
    }
  }
}

/// Kubernetes does not look at the template of a Workload, Kueue does.
void template_metadata(View metadata, CheckContext& context) {
  check_labels(get(metadata, "labels"), "label", context);
  for (View entry : entries_at(metadata, "annotations")) {
    if (const Fault fault = why_not_annotation_key(entry.key())) {
      context.refuse_key(entry, "annotation key " + shown(entry.key()) + " " + *fault);
    }
  }
}

void workload(View object, CheckContext& context) {
  View first;
  const bool has_metadata = context.versions().within({.name = "kueue", .since = "0.19"});
  for (View set : items_at(get(object, "spec"), "podSets")) {
    if (has_metadata) template_metadata(get(get(set, "template"), "metadata"), context);
    const View least = get(set, "minCount");
    if (least && first) {
      context.refuse_key(least, "only one of the pod sets can have `minCount`")
          .also(context.place(first), "the first one");
    }
    if (least) first = least;
    const View topology = get(set, "topologyRequest");
    const View slice = get(topology, "podSetSliceRequiredTopology");
    const View size = get(topology, "podSetSliceSize");
    if (slice && !size) {
      context.refuse(slice, "`podSetSliceRequiredTopology` needs `podSetSliceSize`");
    } else if (size && !slice) {
      context.refuse_key(size, "`podSetSliceSize` goes with `podSetSliceRequiredTopology`");
    } else if (integer_of(size).value_or(1) <= 0) {
      context.refuse(size, "a slice has one pod at least");
    }
    const View pod = get(get(set, "template"), "spec");
    amounts_of(get(pod, "resources"), context);
    for (std::string_view list : {"containers", "initContainers"}) {
      for (View container : items_at(pod, list)) amounts_of(get(container, "resources"), context);
    }
  }
  const View elastic = annotation(object, "kueue.x-k8s.io/elastic-job");
  const bool reads_elastic = context.versions().within({.name = "kueue", .since = "0.18"});
  if (first && reads_elastic && string_of(elastic) == "true") {
    context.refuse_key(first, "a workload that grows and shrinks has no `minCount`")
        .also(context.place(elastic), "it does");
  }
}

/// Read with feature gate `PriorityBoost` only, which is off by default: a wrong value is passed
/// over then.
void priority_boost(View object, CheckContext& context) {
  const View boost = annotation(object, "kueue.x-k8s.io/priority-boost");
  if (!boost || boost.kind() != Kind::String) return;
  const auto number = go_integer(boost->text);
  using Limits = std::numeric_limits<std::int32_t>;
  if (number && *number >= Limits::min() && *number <= Limits::max()) return;
  context
      .warn(boost, "`kueue.x-k8s.io/priority-boost` is " + shown(boost->text) +
                       "; expected a whole number of 32 bits, such as `100` or `-100`")
      .note("feature gate `PriorityBoost` is off by default; with it Kueue refuses this");
}

void local_queue(View object, CheckContext& context) {
  const View name = get(get(object, "spec"), "clusterQueue");
  const Inventory* around = context.inventory();
  if (around == nullptr || string_of(name).empty()) return;
  if (!around->has_any("kueue.x-k8s.io", "ClusterQueue")) return;
  if (around->has("kueue.x-k8s.io", "ClusterQueue", "", name->text)) return;
  context.warn(name,
               "there is no ClusterQueue " + shown(name->text) + " among those that are given");
}

void flavors_exist(View object, CheckContext& context) {
  const Inventory* around = context.inventory();
  if (around == nullptr || !around->has_any("kueue.x-k8s.io", "ResourceFlavor")) return;
  for (View group : items_at(get(object, "spec"), "resourceGroups")) {
    for (View each : items_at(group, "flavors")) {
      const View name = get(each, "name");
      if (string_of(name).empty()) continue;
      if (around->has("kueue.x-k8s.io", "ResourceFlavor", "", name->text)) continue;
      // kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go inactiveReason
      context
          .warn(name,
                "there is no ResourceFlavor " + shown(name->text) + " among those that are given")
          .note("the queue is inactive until there is one, and its jobs wait");
    }
  }
}

/// An object of Kueue in no namespace, of a kind of which there are others.
void must_exist(View name, std::string_view kind, CheckContext& context) {
  const Inventory* around = string_of(name).empty() ? nullptr : context.inventory();
  if (around == nullptr || !around->has_any("kueue.x-k8s.io", kind)) return;
  if (around->has("kueue.x-k8s.io", kind, "", name->text)) return;
  context.warn(name, "there is no " + std::string(kind) + " " + shown(name->text) +
                         " among those that are given");
}

void settings_exist(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const bool counts_topology = context.versions().within({.name = "kueue", .since = "0.14"});
  if (counts_topology) must_exist(get(spec, "topologyName"), "Topology", context);
  for (const Controller& controller : kControllers) {
    if (string_at(spec, "controllerName") != controller.name) continue;
    must_exist(get(get(spec, "parameters"), "name"), controller.kind, context);
  }
}

View parent_of(View cohort) {
  const View spec = get(cohort, "spec");
  const View parent = get(spec, "parentName");
  return parent ? parent : get(spec, "parent");
}

/// A circle is told of once, by the first of its names.
void cohort_circle(View object, CheckContext& context) {
  const View parent = parent_of(object);
  const std::string_view own = string_of(metadata_name(object));
  if (string_of(parent).empty() || own.empty()) return;
  const Inventory* around = context.inventory();
  if (around == nullptr) return;
  std::string path = shown(own);
  std::set<std::string_view> seen;
  for (View at = parent; !string_of(at).empty() && at->text >= own;) {
    if (!seen.insert(at->text).second) return;  // a circle further up, without this one
    path += " below " + shown(at->text);
    if (at->text == own) {
      context.refuse(parent,
                     "cohorts stand below each other in a circle, and Kueue admits nothing "
                     "to any of their queues: " +
                         path);
      return;
    }
    at = parent_of(around->find("kueue.x-k8s.io", "Cohort", "", at->text));
  }
}

/// Names of checks of admission, in whichever form the queue has them.
std::vector<View> names_of_checks(View queue) {
  std::vector<View> names;
  const View spec = get(queue, "spec");
  for (View name : items_at(spec, "admissionChecks")) names.push_back(name);
  for (View each : items_at(get(spec, "admissionChecksStrategy"), "admissionChecks")) {
    names.push_back(get(each, "name"));
  }
  return names;
}

void checks_exist(View object, CheckContext& context) {
  const Inventory* around = context.inventory();
  if (around == nullptr || !around->has_any("kueue.x-k8s.io", "AdmissionCheck")) return;
  for (View name : names_of_checks(object)) {
    if (string_of(name).empty()) continue;
    if (around->has("kueue.x-k8s.io", "AdmissionCheck", "", name->text)) continue;
    context.warn(name,
                 "there is no AdmissionCheck " + shown(name->text) + " among those that are given");
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-covered-resources",
     .on = kQueues,
     .sentence = "Resources and flavors of a queue come once, and each flavor has its resources in "
                 "the order of those that are covered.",
     .source = kQueueSource,
     .object = covered_resources,
     .operators = kKueue},
    {.name = "kueue-quotas",
     .on = kQueues,
     .sentence =
         "Quotas are not negative, limits need a cohort, and no more is lent than there is.",
     .source = kQueueSource,
     .object = quotas,
     .operators = kKueue},
    {.name = "kueue-queue-sizes",
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence =
         "A queue has at most 256 flavors and 256 resources, and a group 512 pairs of them.",
     .source = kQueueSource,
     .object = sizes,
     .operators = {.name = "kueue", .since = "0.14"}},
    {.name = "kueue-fair-sharing",
     .on = kQueues,
     .sentence = "A weight is 0 or large enough to count with.",
     .source = "kubernetes-sigs/kueue pkg/webhooks/common.go",
     .object = fair_sharing,
     .operators = kKueue},
    {.name = "kueue-admission-checks",
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "A check of admission is for flavors that the queue has.",
     .source = kQueueSource,
     .object = admission_checks,
     .operators = {.name = "kueue", .since = "0.17"}},
    {.name = "kueue-concurrent-admission",
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "A queue that admits on several flavors at once has one group of them, and no "
                 "strict order.",
     .source = kQueueSource,
     .object = concurrent_admission,
     .operators = {.name = "kueue", .since = "0.18"}},
    {.name = "kueue-namespace-selector",
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "The namespaces of a queue are selected by labels that they can have.",
     .source = kQueueSource,
     .object = selector,
     .operators = kKueue},
    {.name = "kueue-resource-flavor",
     .on = "kueue.x-k8s.io ResourceFlavor",
     .sentence =
         "Labels, taints and tolerations of a flavor are ones that nodes and pods can have.",
     .source = "kubernetes-sigs/kueue pkg/webhooks/resourceflavor_webhook.go",
     .object = flavor,
     .operators = kKueue},
    {.name = "kueue-check-parameters",
     .on = "kueue.x-k8s.io AdmissionCheck",
     .sentence = "A check by a controller of Kueue names the configuration that this needs.",
     .source = "kubernetes-sigs/kueue pkg/util/admissioncheck/admissioncheck.go",
     .object = parameters,
     .operators = kKueue},
    {.name = "kueue-workload",
     .on = "kueue.x-k8s.io Workload",
     .sentence = "At most one pod set may shrink, and pods ask for nothing that Kueue keeps.",
     .source = "kubernetes-sigs/kueue pkg/webhooks/workload_webhook.go",
     .object = workload,
     .operators = kKueue},
    {.name = "kueue-priority-boost",
     .on = "kueue.x-k8s.io Workload",
     .sentence = "What is added to the priority of a workload is a whole number.",
     .source = "kubernetes-sigs/kueue pkg/webhooks/workload_webhook.go ValidateWorkload, "
               "pkg/util/priority/priority.go PriorityBoost",
     .object = priority_boost,
     .operators = {.name = "kueue", .since = "0.17"}},
    {.name = "kueue-cluster-queue-exists",
     .on = "kueue.x-k8s.io LocalQueue",
     .sentence = "The ClusterQueue of a LocalQueue is there; else its jobs wait for it.",
     .source = "kubernetes-sigs/kueue pkg/controller/core/localqueue_controller.go",
     .object = local_queue,
     .operators = kKueue},
    {.name = "kueue-flavors-exist",
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "The flavors of a ClusterQueue are there; else it is not active.",
     .source = "kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go",
     .object = flavors_exist,
     .operators = kKueue},
    {.name = "kueue-settings-exist",
     .on = "kueue.x-k8s.io ResourceFlavor AdmissionCheck",
     .sentence =
         "The Topology of a flavor and the configuration of a check of admission are there; "
         "else no queue with them is active.",
     .source = "kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go inactiveReason; "
               "pkg/controller/admissionchecks/provisioning/admissioncheck_reconciler.go",
     .object = settings_exist,
     .operators = kKueue},
    {.name = "kueue-checks-exist",
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "The checks of admission of a ClusterQueue are there; else it is not active.",
     .source = "kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go: missingAdmissionChecks",
     .object = checks_exist,
     .operators = kKueue},
    {.name = "kueue-cohort-circle",
     .on = "kueue.x-k8s.io Cohort",
     .sentence = "No cohort stands below itself, be it by others.",
     .source = "kubernetes-sigs/kueue pkg/cache/hierarchy/cycle.go HasCycle, "
               "pkg/cache/scheduler/clusterqueue.go",
     .object = cohort_circle,
     .operators = {.name = "kueue", .since = "0.9"}},
};

}  // namespace

constinit const std::span<const Check> kueue_quota_checks = kChecks;

}  // namespace trainyard
