#include <array>
#include <string>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "check/missing_objects.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "operators/volcano_tasks.h"
#include "tree/typed_fields.h"

// What may change of a Volcano Job, and of a PodGroup, that is there.

namespace trainyard {
namespace {

using namespace volcano;

/// The priority class of a job may change, that of the pods of a task may not.
View changed_priority(View task, View before) {
  const View own = get(get(get(task, "template"), "spec"), "priorityClassName");
  const View was = get(get(get(before, "template"), "spec"), "priorityClassName");
  if (string_of(own) == string_of(was)) return {};
  return own ? own : task;
}

/// The claim that a volume names is settled; one that Volcano makes gets its name from it.
View changed_claim(View volume, View before) {
  const View own = get(volume, "volumeClaimName");
  const bool same = string_of(own) == string_at(before, "volumeClaimName");
  if (same || get(volume, "volumeClaim")) return {};
  return own ? own : volume;
}

/// The first change that `one` finds between the items of two lists.
View changed_item(View before, View now, std::string_view key, View (*one)(View, View)) {
  const Items old = items_at(before, key);
  auto was = old.begin();
  for (View item : items_at(now, key)) {
    if (was == old.end()) break;
    if (const View at = one(item, *was)) return at;
    ++was;
  }
  return {};
}

void job_changes(View object, CheckContext& context) {
  const View old = context.old();
  if (!old) return;
  constexpr auto free = std::to_array<std::string_view>(
      {"minAvailable", "replicas", "priorityClassName", "volumeClaimName"});
  constexpr auto filled = std::to_array<std::string_view>(
      {"queue", "schedulerName", "maxRetry", "name", "dnsPolicy", "svc", "ssh", "protocol"});
  const View now = get(object, "spec");
  const View before = get(old, "spec");
  const View tasks = get(now, "tasks");
  const View tasks_before = get(before, "tasks");
  if (tasks && tasks_before && tasks->is_seq() && tasks->size != tasks_before->size) {
    context.refuse_key(tasks, "a job of Volcano had " + std::to_string(tasks_before->size) +
                                  " tasks; none can be added or taken away");
    return;
  }
  View at = changed(before, now, {free, filled});
  if (!at) at = changed_item(before, now, "tasks", changed_priority);
  if (!at) at = changed_item(before, now, "volumes", changed_claim);
  if (!at) return;
  context.refuse(at, "this cannot change once a job of Volcano is there")
      .note("`minAvailable`, `priorityClassName` and the `replicas` of tasks can");
}

/// PodGroups are checked only for the queue being there; it may have others below it.
void pod_group_queue(View object, CheckContext& context) {
  const View queue = get(get(object, "spec"), "queue");
  if (string_of(queue) == "default") return;
  const MissingObject missing =
      missing_object("scheduling.volcano.sh", "Queue", "", queue, string_of(queue), context);
  if (!missing) return;
  missing.label(context.warn(queue, "there is no queue " + shown(queue->text) +
                                        " among those that are given"),
                context);
}

constexpr Check kChecks[] = {
    {.name = "volcano-job-stays",
     .group = CheckGroup::Training,
     .on = "batch.volcano.sh Job",
     .sentence = "Of a job of Volcano only numbers of pods and its priority class change.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go "
               "validateJobUpdate",
     .object = job_changes,
     .operators = kVolcano},
    {.name = "volcano-pod-group-queue",
     .group = CheckGroup::Queue,
     .on = "scheduling.volcano.sh PodGroup",
     .sentence = "The queue of a PodGroup is there.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/podgroups/validate/"
               "validate_podgroup.go checkQueueState",
     .object = pod_group_queue,
     .operators = {.name = "volcano", .since = "1.12"}},
};

}  // namespace

constinit const std::span<const Check> volcano_job_change_checks = kChecks;

}  // namespace trainyard
