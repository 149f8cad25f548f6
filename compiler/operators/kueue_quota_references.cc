#include <set>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

// What queues, cohorts and flavors of Kueue name must be there.

namespace trainyard {
namespace {

constexpr OperatorSpan kKueue{.name = "kueue"};

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

/// An object of Kueue in no namespace, of a kind with other objects among the inputs.
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
    {.name = "kueue-check-parameters",
     .group = CheckGroup::Queue,
     .on = "kueue.x-k8s.io AdmissionCheck",
     .sentence = "A check by a controller of Kueue names the configuration that this needs.",
     .source = "kubernetes-sigs/kueue pkg/util/admissioncheck/admissioncheck.go",
     .object = parameters,
     .operators = kKueue},
    {.name = "kueue-cluster-queue-exists",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "kueue.x-k8s.io LocalQueue",
     .sentence = "The ClusterQueue of a LocalQueue is there; else its jobs wait for it.",
     .source = "kubernetes-sigs/kueue pkg/controller/core/localqueue_controller.go",
     .object = local_queue,
     .operators = kKueue},
    {.name = "kueue-flavors-exist",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "The flavors of a ClusterQueue are there; else it is not active.",
     .source = "kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go",
     .object = flavors_exist,
     .operators = kKueue},
    {.name = "kueue-settings-exist",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "kueue.x-k8s.io ResourceFlavor AdmissionCheck",
     .sentence =
         "The Topology of a flavor and the configuration of a check of admission are there; "
         "else no queue with them is active.",
     .source = "kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go inactiveReason; "
               "pkg/controller/admissionchecks/provisioning/admissioncheck_reconciler.go",
     .object = settings_exist,
     .operators = kKueue},
    {.name = "kueue-checks-exist",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "The checks of admission of a ClusterQueue are there; else it is not active.",
     .source = "kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go: missingAdmissionChecks",
     .object = checks_exist,
     .operators = kKueue},
    {.name = "kueue-cohort-circle",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "kueue.x-k8s.io Cohort",
     .sentence = "No cohort stands below itself, also not through others.",
     .source = "kubernetes-sigs/kueue pkg/cache/hierarchy/cycle.go HasCycle, "
               "pkg/cache/scheduler/clusterqueue.go",
     .object = cohort_circle,
     .operators = {.name = "kueue", .since = "0.9"}},
};

}  // namespace

constinit const std::span<const Check> kueue_quota_reference_checks = kChecks;

}  // namespace trainyard
