// Node pools of KAI: each has a scheduler of its own, which sees what has its label.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kPool = "kai.scheduler/node-pool";
constexpr std::string_view kQueue = "kai.scheduler/queue";

/// A shard with arguments of its own may look at another label.
bool is_plain(View shard) {
  return !get(get(get(shard, "spec"), "args"), "nodepool-label-key");
}

/// Says that no shard of those among the inputs has a pool.
bool tell_of_no_shard(View pool, CheckContext& context) {
  const Inventory* inventory = string_of(pool).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return false;
  const auto shards = inventory->all("kai.scheduler", "SchedulingShard");
  const auto has_pool = [&](View shard) {
    return string_at(get(shard, "spec"), "partitionLabelValue") == pool->text || !is_plain(shard);
  };
  if (shards.empty() || std::ranges::any_of(shards, has_pool)) return false;
  context
      .lint(pool, "no SchedulingShard among the inputs has the `partitionLabelValue` " +
                      shown(pool->text) + ", so no scheduler looks at this")
      .also(context.place(metadata_name(shards.front())), "a shard");
  return true;
}

void pool_of_queue(View queue, CheckContext& context) {
  tell_of_no_shard(label(queue, kPool), context);
}

/// The label of the object counts before that of its pods: KAI makes the PodGroup by the owner.
View label_of_pods(const Pod& pod, std::string_view key, CheckContext& context) {
  const View own = label(context.object(), key);
  return own ? own : get(get(pod.metadata, "labels"), key);
}

void pool_of_pods(const Pod& pod, CheckContext& context) {
  const View name = label_of_pods(pod, kQueue, context);
  const View pool = label_of_pods(pod, kPool, context);
  if (string_of(name).empty() || tell_of_no_shard(pool, context)) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View queue = inventory->find("scheduling.run.ai", "Queue", "", name->text);
  const View its = label(queue, kPool);
  if (!queue || string_of(its) == string_of(pool)) return;
  const auto called = [](View of) {
    return string_of(of).empty() ? std::string("none") : shown(of->text);
  };
  context
      .lint(pool ? pool : name, "queue " + shown(name->text) + " is of node pool " + called(its) +
                                    ", and these pods are of " + called(pool))
      .also(context.place(its ? its : metadata_name(queue)), "the queue");
}

constexpr Check kChecks[] = {
    {.name = "kai-pool-of-queue",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "scheduling.run.ai Queue",
     .sentence = "A queue of KAI is in a node pool that a SchedulingShard has, and its pods are in "
                 "the same one.",
     .source = "NVIDIA/KAI-Scheduler docs/operator/scheduling-shards.md; "
               "pkg/podgrouper/pod_controller.go addNodePoolLabel; issue 1045",
     .pod = pool_of_pods,
     .object = pool_of_queue,
     .severity = Severity::Warning,
     .because = "The scheduler of a shard ignores queues and pods without its label: the pods stay "
                "Pending.",
     .fix = "give queue, job and a SchedulingShard the same node pool, or leave the label out of "
            "all"},
};

}  // namespace

const std::span<const Check> kai_pool_lints = kChecks;

}  // namespace trainyard
