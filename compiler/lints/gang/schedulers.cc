// Whether pods go to the scheduler that knows their queue or gang.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/queue/kai_limit.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Schedulers that know nothing of a Volcano Job; one with another name may be a Volcano of its
/// own.
constexpr auto kOtherSchedulers = std::to_array<std::string_view>(
    {"default-scheduler", "kai-scheduler", "runai-scheduler", "scheduler-plugins-scheduler",
     "yunikorn", "gke.io/optimize-utilization-scheduler", "volcano-scheduler"});

void volcano_scheduler(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch.volcano.sh", "Job")) return;
  const View common = get(workload.spec, "schedulerName");
  bool said_of_all = false;
  for (const WorkloadRole& role : workload.roles) {
    const View own = get(role.pod.spec, "schedulerName");
    const View name = string_of(own).empty() ? common : own;
    if (std::ranges::find(kOtherSchedulers, string_of(name)) == kOtherSchedulers.end()) continue;
    if (name.id() == common.id() && std::exchange(said_of_all, true)) continue;
    context.lint(name,
                 "the pods of this Volcano Job go to " + shown(name->text) + ", not to Volcano");
  }
}

/// What names a queue or a gang of one scheduler, and for nothing else.
struct QueueMark {
  std::string_view field;
  std::string_view key;
  std::string_view scheduler;
};
constexpr auto kQueueMarks = std::to_array<QueueMark>({
    {"labels", "kai.scheduler/queue", "kai-scheduler"},
    {"annotations", "scheduling.volcano.sh/queue-name", "volcano"},
    {"annotations", "scheduling.volcano.sh/group-name", "volcano"},
    {"annotations", "scheduling.k8s.io/group-name", "volcano"},
});

/// Kinds whose operator may put the scheduler's name into the pods.
bool may_be_given_a_scheduler(std::string_view group) {
  return group == "ray.io" || group == "kubeflow.org" || group == "batch.volcano.sh" ||
         group == "flow.volcano.sh" || group == "run.ai";
}

void scheduler_of_queue(const Pod& pod, CheckContext& context) {
  const std::string_view scheduler = string_at(pod.spec, "schedulerName");
  const bool is_default = scheduler.empty() || scheduler == "default-scheduler";
  const bool is_patch = (pod.controller_defaults & kIsPatch) == kIsPatch;
  const View object = context.object();
  if (!is_default || is_patch ||
      may_be_given_a_scheduler(group_of(string_at(object, "apiVersion"))))
    return;
  const bool is_runtime = string_at(object, "kind").ends_with("TrainingRuntime");
  for (const QueueMark& mark : kQueueMarks) {
    View at = get(get(pod.metadata, mark.field), mark.key);
    if (!at && !is_runtime) at = get(get(get(object, "metadata"), mark.field), mark.key);
    if (string_of(at).empty()) continue;
    context.lint(at, shown(mark.key) + " is for pods of the scheduler " + shown(mark.scheduler) +
                         ", and these go to the default one: `schedulerName` is " +
                         (scheduler.empty() ? "not set" : shown(scheduler)));
  }
}

/// kai-scheduler/KAI-Scheduler pkg/scheduler/actions/utils/input_jobs.go: jobs of a queue that has
/// others below it are passed over, as are those of one that is not there.
void kai_queue(const Pod& pod, CheckContext& context) {
  constexpr std::string_view key = "kai.scheduler/queue";
  constexpr std::string_view group = "scheduling.run.ai";
  View name = get(get(get(context.object(), "metadata"), "labels"), key);
  if (!name) name = get(get(pod.metadata, "labels"), key);
  const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const std::vector<View> queues = inventory->all(group, "Queue");
  for (View each : queues) {
    const View parent = get(get(each, "spec"), "parentQueue");
    if (string_of(parent) != name->text) continue;
    context
        .lint(name, "queue " + shown(name->text) + " has others below it, such as " +
                        shown(string_at(get(each, "metadata"), "name")) +
                        "; jobs go to one without")
        .also(context.place(parent), "below it");
    return;
  }
  report_similar_name({group, "Queue", "queue", "", name}, context);
}

bool is_for_kai(const Pod& pod) {
  return string_at(pod.spec, "schedulerName") == "kai-scheduler";
}

/// kai-scheduler/KAI-Scheduler docs/migrationguides/v0.6.0: the label was `runai/queue` before.
View queue_elsewhere(View metadata) {
  if (const View old = get(get(metadata, "labels"), "runai/queue")) return old;
  return get(get(metadata, "annotations"), "kai.scheduler/queue");
}

/// KAI reads the queue from labels, and parts of GPUs from annotations of the pod.
void kai_marks(const Pod& pod, CheckContext& context) {
  if (!is_for_kai(pod)) return;
  constexpr std::string_view key = "kai.scheduler/queue";
  const View own = get(context.object(), "metadata");
  if (!get(get(own, "labels"), key) && !get(get(pod.metadata, "labels"), key)) {
    View elsewhere = queue_elsewhere(own);
    if (!elsewhere) elsewhere = queue_elsewhere(pod.metadata);
    if (elsewhere) {
      context.lint(elsewhere, "KAI reads the queue from the label `kai.scheduler/queue` alone");
    }
  }
  for (std::string_view part : {"gpu-fraction", "gpu-memory"}) {
    const View label = get(get(pod.metadata, "labels"), part);
    if (!label || get(get(pod.metadata, "annotations"), part)) continue;
    context.lint(label, "KAI reads " + shown(part) + " from an annotation, and this is a label");
  }
}

/// Schedulers by the names that they are installed with.
constexpr auto kSchedulers = std::to_array<std::string_view>(
    {"default-scheduler", "volcano", "kai-scheduler", "runai-scheduler",
     "scheduler-plugins-scheduler", "yunikorn", "koord-scheduler", "hami-scheduler"});

/// What people call a scheduler, and what its pods must say.
constexpr auto kShortNames = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"default", "default-scheduler"},
     {"kai", "kai-scheduler"},
     {"runai", "runai-scheduler"},
     {"volcano-scheduler", "volcano"}});

void scheduler_name(const Pod& pod, CheckContext& context) {
  const View name = get(pod.spec, "schedulerName");
  const std::string_view text = string_of(name);
  for (const auto& [short_name, known] : kShortNames) {
    if (text != short_name) continue;
    context.lint(name, "no scheduler is installed as " + shown(text) + "; did you mean " +
                           shown(known) + "?");
    return;
  }
  for (std::string_view known : kSchedulers) {
    // `volcano2` may be a second one.
    const bool may_be_own = text.starts_with(known) || !text.starts_with(known.substr(0, 1));
    const bool in_capitals = !text.empty() && text[0] >= 'A' && text[0] <= 'Z';
    if ((may_be_own && !in_capitals) || !is_typo_of(text, known)) continue;
    context.lint(name, "scheduler " + shown(text) + " looks like a typo of " + shown(known));
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "kai-job-queue",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "Pods for KAI go to an existing queue that has none below it.",
     .source = "kai-scheduler/KAI-Scheduler pkg/scheduler/actions/utils/input_jobs.go",
     .pod = kai_queue,
     .severity = Severity::Warning,
     .because = "KAI ignores jobs of other queues: the pods stay Pending.",
     .fix = "name a queue of the lowest level"},
    {.name = "kai-marks",
     .group = CheckGroup::Queue,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "Pods for KAI name their queue by a label, and a part of a GPU by an annotation.",
     .source = "kai-scheduler/KAI-Scheduler pkg/podgrouper/podgrouper/plugins/defaultgrouper/"
               "default_grouper.go, pkg/common/resources/gpu_sharing.go",
     .pod = kai_marks,
     .severity = Severity::Warning,
     .because = "KAI does not see the mark: the pods go to the default queue, or get no GPU.",
     .fix = "write the label `kai.scheduler/queue`, and `gpu-fraction` or `gpu-memory` among the "
            "annotations of the pod"},
    {.name = "fits-kai-queue",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "GPUs that pods for KAI take together are within the limit of their queue.",
     .source = "kai-scheduler/KAI-Scheduler pkg/scheduler/plugins/proportion/capacity_policy",
     .workload = check_kai_limit,
     .severity = Severity::Warning,
     .because = "A queue never gives more than its limit, nor than that of the queue above it: "
                "the pods stay Pending.",
     .fix = "name another queue, ask for less, or raise the `limit` of the queue"},
    {.name = "scheduler-name",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The scheduler of pods is not one letter off from a known one, nor its short "
                 "name.",
     .source = "kubernetes/kubernetes pkg/scheduler/scheduler.go: ignores pods with another name",
     .pod = scheduler_name,
     .severity = Severity::Warning,
     .because = "No scheduler takes pods that name another one: they stay Pending without an "
                "event.",
     .fix = "write the name with which the scheduler runs"},
    {.name = "volcano-scheduler",
     .group = CheckGroup::Gang,
     .effect = Effect::RunsWrong,
     .sentence = "The pods of a Volcano Job are scheduled by Volcano.",
     .source = "volcano-sh/volcano pkg/controllers/job/job_controller_util.go createJobPod: the "
               "scheduler of a template stays",
     .workload = volcano_scheduler,
     .severity = Severity::Warning,
     .because = "Another scheduler takes each pod alone: the queue, the gang and the priority of "
                "the job count for nothing, and what it takes Volcano believes to be free.",
     .fix = "leave `schedulerName` out, or set it to `volcano`"},
    {.name = "scheduler-of-queue",
     .group = CheckGroup::Gang,
     .effect = Effect::RunsWrong,
     .sentence = "Pods that name a queue or a gang of a scheduler go to that scheduler.",
     .source = "NVIDIA/KAI-Scheduler docs/quickstart/README.md; volcano-sh/volcano "
               "pkg/scheduler/cache/event_handlers.go",
     .pod = scheduler_of_queue,
     .severity = Severity::Warning,
     .because = "The default scheduler knows nothing of queues and gangs: the pods start one by "
                "one, past all quotas.",
     .fix = "set `schedulerName` in the pod template"},
};

}  // namespace

const std::span<const Check> scheduler_lints = kChecks;

}  // namespace trainyard
