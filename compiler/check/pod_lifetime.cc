#include <array>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

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

void preemption(const Pod& pod, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"PreemptLowerPriority", "Never"});
  context.allow(get(pod.spec, "preemptionPolicy"), "preemption policy", policies);
}

constexpr Check kChecks[] = {
    {.name = "restart-policy",
     .on = "pod",
     .sentence = "The restart policy of a pod is `Always`, `OnFailure` or `Never`.",
     .source = kSource,
     .pod = restart_policy},
    {.name = "runs-forever",
     .on = "pod",
     .sentence =
         "Pods of Deployments, StatefulSets, DaemonSets and LeaderWorkerSets restart always "
         "and have no deadline.",
     .source = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go",
     .pod = runs_forever},
    {.name = "pod-deadline",
     .on = "pod",
     .sentence = "The deadline of a pod is at least one second.",
     .source = kSource,
     .pod = deadline},
    {.name = "preemption-policy",
     .on = "pod",
     .sentence = "A preemption policy is `PreemptLowerPriority` or `Never`.",
     .source = kSource,
     .pod = preemption},
};

}  // namespace

constinit const std::span<const Check> pod_lifetime_checks = kChecks;

}  // namespace trainyard
