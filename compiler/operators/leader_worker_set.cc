// What the webhooks of LeaderWorkerSet refuse, and those of DisaggregatedSet, whose roles become
// LeaderWorkerSets that are refused later for the same reasons. Read with the defaults of the
// schema: one replica, groups of one pod, one pod unavailable and none added while rolling out.

#include <string>

#include "admission/int_or_percent.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/object_name.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Calls `found` for the spec of the object, or of each role, and the annotations that go with it.
template <class Found>
void each_set(View object, Found found) {
  const View spec = get(object, "spec");
  if (string_at(object, "kind") == "LeaderWorkerSet") {
    found(spec, get(get(object, "metadata"), "annotations"));
    return;
  }
  for (View role : items_at(spec, "roles")) {
    found(get(role, "spec"), get(get(role, "metadata"), "annotations"));
  }
}

std::int64_t replicas_of(View spec) {
  return integer_at(spec, "replicas").value_or(1);
}

void rollout(View object, CheckContext& context) {
  each_set(object, [&](View spec, View) {
    const View rolling = get(get(spec, "rolloutStrategy"), "rollingUpdateConfiguration");
    const View gone = get(rolling, "maxUnavailable");
    const View more = get(rolling, "maxSurge");
    check_share(gone, true, context);
    check_share(more, true, context);
    const View partition = get(rolling, "partition");
    if (integer_of(partition).value_or(0) < 0) {
      context.refuse(partition, "`partition` cannot be negative");
    }
    const auto fewer = gone ? int_or_percent_of(gone) : IntOrPercent{1};
    const auto added = more ? int_or_percent_of(more) : IntOrPercent{0};
    const std::int64_t groups = replicas_of(spec);
    if (!fewer || !added || fewer->value < 0 || added->value < 0 || groups <= 0 || !gone) return;
    if (fewer->of(groups, false) != 0 || added->of(groups, true) != 0) return;
    const bool rounded = fewer->percent && fewer->value != 0;
    Diagnostic& report = context.refuse(
        gone, "with `maxSurge` and `maxUnavailable` both 0 no group can be replaced");
    if (rounded) {
      report.note(shown(gone->text) + " of " + std::to_string(groups) + " groups is rounded to 0");
    }
  });
}

constexpr std::string_view kWebhook =
    "kubernetes-sigs/lws pkg/webhooks/leaderworkerset_webhook.go generalValidate";
constexpr std::string_view kBoth =
    "leaderworkerset.x-k8s.io LeaderWorkerSet; disaggregatedset.x-k8s.io DisaggregatedSet";
constexpr OperatorSpan kOperator{.name = "lws"};

constexpr Check kChecks[] = {
    {.name = "leader-worker-set-rollout",
     .group = CheckGroup::Training,
     .on = kBoth,
     .sentence = "Groups are replaced in a way that can go on.",
     .source = kWebhook,
     .object = rollout,
     .operators = kOperator},
};

}  // namespace

constinit const std::span<const Check> leader_worker_set_checks = kChecks;

}  // namespace trainyard
