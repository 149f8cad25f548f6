#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "admission/name_checks.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "manifest/inventory.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidatePodSpec";

void restart_policy(const Pod& pod, CheckContext& context) {
  const View policy = get(pod.spec, "restartPolicy");
  context.allow(policy, "restart policy", kRestartPolicies);
}

/// kubernetes/kubernetes pkg/apis/apps/validation/validation.go: an empty one becomes Always.
void runs_forever(const Pod& pod, CheckContext& context) {
  if (!pod.has(kRunsForever)) return;
  const View policy = get(pod.spec, "restartPolicy");
  if (string_of(policy) == "Never" || string_of(policy) == "OnFailure") {
    context.refuse(policy,
                   "these pods are kept running, so their restart policy can only be "
                   "`Always`, not " +
                       shown(policy->text));
  }
  const View deadline = get(pod.spec, "activeDeadlineSeconds");
  if (deadline) {
    context.refuse_key(deadline,
                       "these pods are kept running, so they have no "
                       "`activeDeadlineSeconds`");
  }
}

void deadline(const Pod& pod, CheckContext& context) {
  const View seconds = get(pod.spec, "activeDeadlineSeconds");
  const auto value = integer_of(seconds);
  if (!value || (*value >= 1 && *value <= 2147483647)) return;
  context.refuse(seconds,
                 "a deadline is between 1 and 2147483647 seconds, not " + std::to_string(*value));
}

constexpr auto kPreemption = std::to_array<std::string_view>({"PreemptLowerPriority", "Never"});

/// The class that a pod names, or else the one that is for all that name none.
View priority_class_of(View name, const Inventory& inventory) {
  if (is_set(name)) return inventory.find("scheduling.k8s.io", "PriorityClass", "", name->text);
  for (View each : inventory.all("scheduling.k8s.io", "PriorityClass")) {
    if (is_true(get(each, "globalDefault"))) return each;
  }
  return {};
}

void preemption(const Pod& pod, CheckContext& context) {
  const View own = get(pod.spec, "preemptionPolicy");
  context.allow(own, "preemption policy", kPreemption);
  if (std::ranges::find(kPreemption, string_of(own)) == kPreemption.end()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View name = get(pod.spec, "priorityClassName");
  const View known = priority_class_of(name, *inventory);
  if (!known && !is_set(name) && own->text != kPreemption[0]) {
    context.warn(own,
                 "a pod without `priorityClassName` is refused when it says other than the default "
                 "class, which mostly is `PreemptLowerPriority`");
  }
  if (!known) return;
  const std::string_view stated = string_at(known, "preemptionPolicy");
  const std::string_view given = stated.empty() ? kPreemption[0] : stated;
  if (given == own->text) return;
  const std::string of(string_at(get(known, "metadata"), "name"));
  context.refuse(own, "the priority class " + shown(of) + " says " + shown(given) +
                          ", and a pod cannot say otherwise; leave `preemptionPolicy` out");
}

/// kubernetes/kubernetes pkg/apis/scheduling/types.go: the two classes that every cluster has.
std::optional<std::int64_t> value_of_system_class(std::string_view name) {
  constexpr std::int64_t base = 2'000'000'000;
  if (name == "system-cluster-critical") return base;
  if (name == "system-node-critical") return base + 1000;
  return std::nullopt;
}

void priority(const Pod& pod, CheckContext& context) {
  const View own = get(pod.spec, "priority");
  const auto stated = integer_of(own);
  if (!stated) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View name = get(pod.spec, "priorityClassName");
  const View known = priority_class_of(name, *inventory);
  const auto value = known ? integer_at(known, "value") : value_of_system_class(string_of(name));
  if (!value && !is_set(name) && *stated != 0) {
    context.warn(own,
                 "a pod without `priorityClassName` is refused when it says another number than "
                 "the default class, which mostly is 0: name a class, and leave `priority` out");
  }
  if (!value || *value == *stated) return;
  const std::string of(known ? string_at(get(known, "metadata"), "name") : string_of(name));
  Diagnostic& found =
      context.refuse(own, "the priority class " + shown(of) + " says " + std::to_string(*value) +
                              ", and a pod cannot say otherwise; leave `priority` out");
  if (known) found.also(context.place(get(known, "value")), "its value");
}

constexpr Check kChecks[] = {
    {.name = "restart-policy",
     .group = CheckGroup::Core,
     .sentence = "The restart policy of a pod is `Always`, `OnFailure` or `Never`.",
     .source = kSource,
     .pod = restart_policy},
    {.name = "runs-forever",
     .group = CheckGroup::Core,
     .sentence =
         "Pods of Deployments, StatefulSets, DaemonSets and LeaderWorkerSets restart always "
         "and have no deadline.",
     .source = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go",
     .pod = runs_forever},
    {.name = "pod-deadline",
     .group = CheckGroup::Core,
     .sentence = "The deadline of a pod is at least one second.",
     .source = kSource,
     .pod = deadline},
    {.name = "preemption-policy",
     .group = CheckGroup::Queue,
     .sentence =
         "A preemption policy is `PreemptLowerPriority` or `Never`, and that of the priority "
         "class.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/priority/admission.go",
     .pod = preemption},
    {.name = "pod-priority",
     .group = CheckGroup::Queue,
     .sentence = "The number of a pod's priority, where it is written, is that of its class.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/priority/admission.go admitPod",
     .pod = priority},
};

}  // namespace

constinit const std::span<const Check> pod_lifetime_checks = kChecks;

}  // namespace trainyard
