#include <map>
#include <set>
#include <string>
#include <vector>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

// The quotas of Kueue: its queues, cohorts and flavors.

namespace trainyard {
namespace {

constexpr std::string_view kQueues = "kueue.x-k8s.io ClusterQueue Cohort";

constexpr std::string_view kQueueSource =
    "kubernetes-sigs/kueue pkg/webhooks/clusterqueue_webhook.go";

constexpr OperatorSpan kKueue{.name = "kueue"};

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

constexpr Check kChecks[] = {
    {.name = "kueue-covered-resources",
     .group = CheckGroup::Queue,
     .on = kQueues,
     .sentence = "Resources and flavors of a queue come once, and each flavor has its resources in "
                 "the order of those that are covered.",
     .source = kQueueSource,
     .object = covered_resources,
     .operators = kKueue},
    {.name = "kueue-admission-checks",
     .group = CheckGroup::Queue,
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "A check of admission is for flavors that the queue has.",
     .source = kQueueSource,
     .object = admission_checks,
     .operators = {.name = "kueue", .since = "0.17"}},
    {.name = "kueue-concurrent-admission",
     .group = CheckGroup::Queue,
     .on = "kueue.x-k8s.io ClusterQueue",
     .sentence = "A queue that admits on several flavors at once has one group of them, and no "
                 "strict order.",
     .source = kQueueSource,
     .object = concurrent_admission,
     .operators = {.name = "kueue", .since = "0.18"}},
};

}  // namespace

constinit const std::span<const Check> kueue_quota_checks = kChecks;

}  // namespace trainyard
