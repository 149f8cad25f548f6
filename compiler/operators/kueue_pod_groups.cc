#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/kueue_queued_jobs.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

// Pods that Kueue admits together, as one group.

namespace trainyard {
namespace {

using namespace kueue;

constexpr std::string_view kGroupTotal = "kueue.x-k8s.io/pod-group-total-count";

void pod_group(View object, CheckContext& context) {
  const View managed = label(object, "kueue.x-k8s.io/managed");
  const bool is_filled_in = is_queued(object) && !context.old();
  if (managed && !is_filled_in && managed.kind() == Kind::String && managed->text != "true") {
    context.refuse(managed, "`kueue.x-k8s.io/managed` can only be `true`");
  }
  View name = annotation(object, kGroupName);
  if (string_of(name).empty()) name = label(object, kGroupName);
  const View total = annotation(object, kGroupTotal);
  if (string_of(name).empty()) {
    if (total) {
      context.refuse_key(total,
                         "a pod with `kueue.x-k8s.io/pod-group-total-count` needs the label "
                         "`kueue.x-k8s.io/pod-group-name`");
    }
    return;
  }
  name_in(name, "pod group", context);
  if (!total) {
    context.refuse(name,
                   "a pod of a group needs the annotation "
                   "`kueue.x-k8s.io/pod-group-total-count`");
    return;
  }
  const auto count = go_integer(string_of(total));
  if (!count || *count < 1) {
    context.refuse(total, "`kueue.x-k8s.io/pod-group-total-count` is " + shown(total->text) +
                              "; expected a number above 0");
  }
  const View prebuilt = prebuilt_of(object);
  if (!string_of(prebuilt).empty() && prebuilt->text != name->text) {
    context.refuse(prebuilt, "the Workload of a pod group has its name, " + shown(name->text));
  }
}

/// What pods of a group say that must be the same in all.
struct GroupMember {
  View total;
  std::string_view queue;
};

GroupMember member_of(View pod) {
  return {annotation(pod, kGroupTotal), string_of(label(pod, kQueueName))};
}

void pod_group_index(View object, CheckContext& context) {
  const View index = label(object, "kueue.x-k8s.io/pod-group-pod-index");
  const auto total = go_integer(string_of(annotation(object, kGroupTotal)));
  if (!index || !total || *total < 1 || group_of_pod(object).empty()) return;
  const auto number = go_integer(string_of(index));
  if (number && *number >= 0 && *number < *total) return;
  context.refuse(index, "`kueue.x-k8s.io/pod-group-pod-index` is " + shown(index->text) +
                            "; expected 0 to " + std::to_string(*total - 1));
}

/// One that gets its name from the server is found by nothing; what all have to say it is asked
/// for.
void nameless_member(View object, std::string_view group, const Inventory& around,
                     CheckContext& context) {
  const View total = annotation(object, kGroupTotal);
  for (View each : around.all("", "Pod")) {
    if (metadata_namespace(each) != metadata_namespace(object) || group_of_pod(each) != group) {
      continue;
    }
    const View first = annotation(each, kGroupTotal);
    if (!total || !first || first->text == total->text) return;
    context
        .refuse(total, shown(kGroupTotal) + " is " + shown(total->text) +
                           ", and in another pod of the same group " + shown(first->text))
        .also(context.place(first), "the other one");
    return;
  }
}

void pod_group_members(View object, CheckContext& context) {
  pod_group_index(object, context);
  const std::string_view group = group_of_pod(object);
  const View name = metadata_name(object);
  const Inventory* around = context.inventory();
  if (group.empty() || around == nullptr) return;
  if (around->count("", "Pod") > Inventory::kMostNames) return;
  if (string_of(name).empty()) {
    nameless_member(object, group, *around, context);
    return;
  }
  const auto total = go_integer(string_of(annotation(object, kGroupTotal)));
  View first;
  std::int64_t before = 0;
  std::int64_t all = 1;
  bool is_behind = false;
  for (View each : around->all("", "Pod")) {
    const bool own = string_of(metadata_name(each)) == name->text;
    if (metadata_namespace(each) != metadata_namespace(object) || group_of_pod(each) != group) {
      continue;
    }
    is_behind = is_behind || own;
    if (own) continue;
    ++all;
    if (is_behind) continue;
    ++before;
    if (!first) first = each;
  }
  const GroupMember here = member_of(object);
  if (!first) {
    const bool part = total && all > 1 && all < *total;
    if (!part || annotation(object, "kueue.x-k8s.io/pod-group-fast-admission")) return;
    context.warn(here.total, "group " + shown(group) + " waits for " + std::to_string(*total) +
                                 " pods, and " + std::to_string(all) + " are given");
    return;
  }
  const GroupMember there = member_of(first);
  const std::string other = "pod " + shown(string_of(metadata_name(first))) + " of the same group";
  if (here.queue != there.queue) {
    const View queue = label(object, kQueueName);
    context.refuse(queue ? queue : name, "the queue is " + shown(here.queue) + ", and that of " +
                                             other + " " + shown(there.queue));
  } else if (here.total && there.total && here.total->text != there.total->text) {
    context
        .refuse(here.total, shown(kGroupTotal) + " is " + shown(here.total->text) + ", and in " +
                                other + " " + shown(there.total->text))
        .also(context.place(there.total), "the other one");
  } else if (total && before >= *total) {
    context.refuse(name, "group " + shown(group) + " has " + std::to_string(*total) +
                             " pods already: Kueue deletes this one");
  }
}

constexpr Check kChecks[] = {
    {.name = "kueue-pod-group",
     .group = CheckGroup::Queue,
     .on = "core Pod",
     .sentence = "A pod of a group names it and says how many pods it has.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/pod/pod_webhook.go",
     .object = pod_group,
     .operators = kKueue},
    {.name = "kueue-pod-group-members",
     .group = CheckGroup::Queue,
     .on = "core Pod",
     .sentence = "The pods of a group agree on its queue and its size, and are as many.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/pod/pod_controller.go "
               "validatePodGroupMetadata, removeExcessPods",
     .object = pod_group_members,
     .operators = kKueue},
};

}  // namespace

constinit const std::span<const Check> kueue_pod_group_checks = kChecks;

}  // namespace trainyard
