// What the webhooks of LeaderWorkerSet refuse, and those of DisaggregatedSet, whose roles become
// LeaderWorkerSets that are refused later for the same reasons. Read with the defaults of the
// schema: one replica, groups of one pod, one pod unavailable and none added while rolling out.

#include <limits>
#include <string>

#include "admission/int_or_percent.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/object_name.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kExclusive = "leaderworkerset.sigs.k8s.io/exclusive-topology";
constexpr std::string_view kSubGroupExclusive =
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";

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
std::int64_t size_of(View spec) {
  return integer_at(get(spec, "leaderWorkerTemplate"), "size").value_or(1);
}

void name(View object, CheckContext& context) {
  const ObjectName name = object_name(object);
  if (!name) return;
  if (const Fault fault = why_not_service_name(name.text)) {
    context.refuse(name.at,
                   "the name of this LeaderWorkerSet " + *fault + ": a Service is named after it");
  }
}

void size(View object, CheckContext& context) {
  each_set(object, [&](View spec, View) {
    const View size = get(get(spec, "leaderWorkerTemplate"), "size");
    const std::int64_t pods = size_of(spec);
    const std::int64_t groups = replicas_of(spec);
    if (pods < 1) {
      context.refuse(size, "a group has 1 pod at least, not " + std::to_string(pods));
    } else if (pods <= kMaxInt && groups <= kMaxInt && pods * groups > kMaxInt) {
      context.refuse(get(spec, "replicas") ? get(spec, "replicas") : size,
                     "`replicas` times `size` is above " + std::to_string(kMaxInt));
    }
  });
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
    const auto fewer = gone ? share_of(gone) : Share{1};
    const auto added = more ? share_of(more) : Share{0};
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

void sub_groups(View object, CheckContext& context) {
  each_set(object, [&](View spec, View annotations) {
    const View policy = get(get(spec, "leaderWorkerTemplate"), "subGroupPolicy");
    if (!policy) {
      if (const View key = get(annotations, kSubGroupExclusive)) {
        context.refuse_key(key, "this annotation needs `subGroupPolicy` with a `subGroupSize`");
      }
      return;
    }
    const View size = get(policy, "subGroupSize");
    if (!policy->is_map() || (size && !integer_of(size))) return;
    if (!size) {
      context.refuse_key(policy, "`subGroupPolicy` needs a `subGroupSize`");
      return;
    }
    const std::int64_t pods = size_of(spec);
    const std::int64_t each = *integer_of(size);
    const std::string all = " of the " + std::to_string(pods) + " pods of a group";
    if (each < 1) {
      context.refuse(size, "`subGroupSize` must be 1 at least, not " + std::to_string(each));
    } else if (pods < each) {
      context.refuse(size, "`subGroupSize` is " + std::to_string(each) + ", more than the " +
                               std::to_string(pods) + " pods of a group");
    } else if (string_at(policy, "subGroupPolicyType") == "LeaderExcluded") {
      if ((pods - 1) % each == 0) return;
      context.refuse(size, "without the leader" + all + " " + std::to_string(pods - 1) +
                               " are left, which `subGroupSize` " + std::to_string(each) +
                               " does not divide");
    } else if (pods % each != 0 && (pods - 1) % each != 0) {
      context.refuse(size, "`subGroupSize` " + std::to_string(each) + " divides neither all" + all +
                               " nor all but the leader");
    }
  });
}

void sub_groups_stay(View object, CheckContext& context) {
  const View old = context.old();
  if (!old) return;
  const View holder = get(get(object, "spec"), "leaderWorkerTemplate");
  const View before = get(get(get(old, "spec"), "leaderWorkerTemplate"), "subGroupPolicy");
  const View now = get(holder, "subGroupPolicy");
  if (before && !now) {
    context.refuse_key(holder ? holder : object,
                       "`subGroupPolicy` cannot be taken away once it is there");
  } else if (!before && now) {
    context.refuse_key(now, "`subGroupPolicy` cannot be added to a LeaderWorkerSet that is there");
  } else if (now && integer_at(before, "subGroupSize") != integer_at(now, "subGroupSize")) {
    const View size = get(now, "subGroupSize");
    context.refuse(size ? size : now, "`subGroupSize` cannot change");
  }
}
/// An annotation of LeaderWorkerSet that places groups; an empty view when there is none.
View own_placement(View role) {
  const View spec = get(get(role, "spec"), "leaderWorkerTemplate");
  for (std::string_view key : {kExclusive, kSubGroupExclusive}) {
    for (View holder : {role, get(spec, "leaderTemplate"), get(spec, "workerTemplate")}) {
      if (const View found = get(get(get(holder, "metadata"), "annotations"), key)) return found;
    }
  }
  return {};
}

void placement(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View policy = get(spec, "placementPolicy");
  const View type = get(policy, "type");
  if (string_of(type).empty() || type->text == "None") return;
  if (string_at(policy, "topology").empty()) {
    context.refuse(type, "placement " + shown(type->text) + " needs a `topology`");
  }
  for (View role : items_at(spec, "roles")) {
    const View own = own_placement(role);
    if (!own) continue;
    context.refuse_key(own, "this annotation does not go with `placementPolicy`")
        .also(context.place(type), "the policy");
  }
}

constexpr std::string_view kWebhook =
    "kubernetes-sigs/lws pkg/webhooks/leaderworkerset_webhook.go generalValidate";
constexpr std::string_view kDisaggregated =
    "kubernetes-sigs/lws pkg/webhooks/disaggregatedset/disaggregatedset_webhook.go";
constexpr std::string_view kBoth =
    "leaderworkerset.x-k8s.io LeaderWorkerSet; disaggregatedset.x-k8s.io DisaggregatedSet";
constexpr OperatorSpan kOperator{.name = "lws"};

constexpr Check kChecks[] = {
    {.name = "leader-worker-set-name",
     .group = CheckGroup::Training,
     .on = "leaderworkerset.x-k8s.io LeaderWorkerSet",
     .sentence = "The name of a LeaderWorkerSet can be that of a Service.",
     .source = kWebhook,
     .object = name,
     .operators = kOperator},
    {.name = "leader-worker-set-size",
     .group = CheckGroup::Training,
     .on = kBoth,
     .sentence = "A group has a pod at least, and the number of all pods fits into 32 bits.",
     .source = kWebhook,
     .object = size,
     .operators = kOperator},
    {.name = "leader-worker-set-rollout",
     .group = CheckGroup::Training,
     .on = kBoth,
     .sentence = "Groups are replaced in a way that can go on.",
     .source = kWebhook,
     .object = rollout,
     .operators = kOperator},
    {.name = "leader-worker-set-sub-groups",
     .group = CheckGroup::Training,
     .on = kBoth,
     .sentence = "Subgroups divide a group, with or without its leader.",
     .source = "kubernetes-sigs/lws pkg/webhooks/leaderworkerset_webhook.go "
               "validateUpdateSubGroupPolicy",
     .object = sub_groups,
     .operators = kOperator},
    {.name = "leader-worker-set-sub-groups-stay",
     .group = CheckGroup::Training,
     .on = "leaderworkerset.x-k8s.io LeaderWorkerSet",
     .sentence = "Subgroups of a LeaderWorkerSet are not added, taken away or resized.",
     .source = "kubernetes-sigs/lws pkg/webhooks/leaderworkerset_webhook.go ValidateUpdate",
     .object = sub_groups_stay,
     .operators = kOperator},
    {.name = "disaggregated-set-placement",
     .group = CheckGroup::Serving,
     .opt_in = true,
     .on = "disaggregatedset.x-k8s.io DisaggregatedSet",
     .sentence = "A placement policy names a topology, and no role places its groups itself.",
     .source = kDisaggregated,
     .object = placement,
     .operators = {.name = "lws", .since = "0.10"}},
};

}  // namespace

constinit const std::span<const Check> leader_worker_set_checks = kChecks;

}  // namespace trainyard
