#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

// Cohorts of Kueue that stand below each other, and checks of admission that a queue cannot have
// together.

namespace trainyard {
namespace {

View parent_of(View cohort) {
  const View spec = get(cohort, "spec");
  const View parent = get(spec, "parentName");
  return parent ? parent : get(spec, "parent");
}

/// A circle is reported once, at the first of its names.
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

constexpr std::string_view kMultiKueue = "kueue.x-k8s.io/multikueue";
constexpr std::string_view kProvisioning = "kueue.x-k8s.io/provisioning-request";

/// A check of admission that a queue names, and whose it is.
struct UsedCheck {
  View name;
  View flavors;  // that it is for; empty for all
  std::string_view controller;
};

std::vector<UsedCheck> used_checks(View spec, const Inventory& around) {
  std::vector<UsedCheck> used;
  const auto add = [&](View name, View flavors) {
    const View check = around.find("kueue.x-k8s.io", "AdmissionCheck", "", string_of(name));
    if (check) used.push_back({name, flavors, string_at(get(check, "spec"), "controllerName")});
  };
  for (View name : items_at(spec, "admissionChecks")) add(name, {});
  for (View each : items_at(get(spec, "admissionChecksStrategy"), "admissionChecks")) {
    add(get(each, "name"), get(each, "onFlavors"));
  }
  return used;
}

void check_use(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  if (!get(spec, "admissionChecks") && !get(spec, "admissionChecksStrategy")) return;
  const Inventory* around = context.inventory();
  if (around == nullptr) return;
  const std::vector<UsedCheck> used = used_checks(spec, *around);
  const auto first = std::ranges::find(used, kMultiKueue, &UsedCheck::controller);
  if (first == used.end()) return;
  const auto is_second = [&](const UsedCheck& each) {
    return each.controller == kMultiKueue && !each.name.is_at(first->name);
  };
  const auto second = std::ranges::find_if(used, is_second);
  const auto local = std::ranges::find(used, kProvisioning, &UsedCheck::controller);
  if (second != used.end()) {
    context.lint(second->name, "a queue has one check of MultiKueue at most")
        .also(context.place(first->name), "the first one");
  } else if (has_items(first->flavors)) {
    context.lint(first->flavors, "a check of MultiKueue is for all flavors of a queue");
  } else if (local != used.end() && context.versions().within({.name = "kueue", .since = "0.16"})) {
    context
        .lint(local->name,
              "this check makes nodes here, and that of MultiKueue runs the jobs elsewhere")
        .also(context.place(first->name), "the check of MultiKueue");
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-check-use",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "A queue has one check of MultiKueue at most, for all its flavors, and none of "
                 "provisioning beside it.",
     .source = "kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go inactiveReason, issues "
               "2021 and 8347",
     .object = check_use,
     .operators = {.name = "kueue"},
     .severity = Severity::Warning,
     .because = "The queue is not active, and admits nothing.",
     .fix = "leave one of the checks, for all flavors"},
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
