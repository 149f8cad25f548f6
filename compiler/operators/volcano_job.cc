#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/missing_objects.h"
#include "check/typos.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/graph.h"
#include "operators/tables.h"
#include "operators/volcano_tasks.h"
#include "tree/typed_fields.h"

// What the webhook of Volcano wants of a Job as a whole.

namespace trainyard {
namespace {

/// A text that an operator reads into metav1.Duration. The schema knows only that it is a
/// text. kubernetes/apimachinery pkg/apis/meta/v1/duration.go UnmarshalJSON
void check_duration(View at, CheckContext& context) {
  if (!at || at.kind() != Kind::String || go_duration(at->text)) return;
  const std::string_view text = at->text;
  const bool has_no_unit = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  context.refuse(at, shown(text) + (has_no_unit ? " has no unit" : " is no duration") +
                         "; expected for instance " +
                         (has_no_unit ? shown(std::string(text) + "s") : "`1h30m`"));
}

using namespace volcano;

constexpr std::string_view kSource =
    "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go";

constexpr std::string_view kPolicySource =
    "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/util.go";

View place_of_name(const Task& task) {
  const View name = get(task.node, "name");
  return name ? name : task.node;
}

void tasks(View object, CheckContext& context) {
  const View spec = job_spec(object);
  if (spec && spec->is_map() && !get(spec, "tasks")) {
    context.refuse(spec, "there is no task: `tasks` is missing");
  }
  std::map<std::string_view, View> seen;
  const std::vector<Task> all = tasks_of(object);
  for (const Task& task : all) {
    const auto [first, is_new] = seen.emplace(task.name, place_of_name(task));
    if (is_new) continue;
    context.refuse(place_of_name(task), "two tasks are called " + shown(task.name))
        .also(context.place(first->second), "the first one");
  }
}

constexpr auto kEvents =
    std::to_array<std::string_view>({"*", "PodFailed", "PodEvicted", "PodPending", "Unknown",
                                     "TaskCompleted", "TaskFailed", "JobUpdated"});

constexpr auto kActions = std::to_array<std::string_view>(
    {"AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition", "TerminateJob",
     "CompleteJob", "ResumeJob"});

std::vector<View> events_of(View policy) {
  std::vector<View> events;
  const auto add = [&](View event) {
    if (string_of(event).empty()) return;
    const bool known =
        std::ranges::any_of(events, [&](View other) { return other->text == event->text; });
    if (!known) events.push_back(event);
  };
  for (View event : items_at(policy, "events")) add(event);
  add(get(policy, "event"));
  return events;
}

void one_policy(View policy, std::vector<View>& events, std::vector<View>& codes,
                CheckContext& context) {
  check_duration(get(policy, "timeout"), context);
  const std::vector<View> own = events_of(policy);
  const View code = get(policy, "exitCode");
  if (!own.empty() && code) {
    context.refuse(code, "a policy has `event` or `exitCode`, not both");
    return;
  }
  if (own.empty() && !code) {
    context.refuse(policy, "a policy needs `event`, `events` or `exitCode`");
    return;
  }
  const auto again = [&](View at, std::vector<View>& seen, std::string_view what) {
    for (View first : seen) {
      if (first->text != at->text) continue;
      context.refuse(at, std::string(what) + " " + shown(at->text) + " has a policy already")
          .also(context.place(first), "the first one");
      return;
    }
    seen.push_back(at);
  };
  for (View event : own) {
    context.allow(event, "event of a policy", kEvents);
    again(event, events, "event");
  }
  if (!own.empty()) {
    const View action = get(policy, "action");
    context.allow(action, "action of a policy", kActions);
    if (string_of(action).empty()) context.refuse(policy, "the policy of an event needs `action`");
  }
  if (!code) return;
  if (integer_of(code) == 0) {
    context.refuse(code, "0 is no exit code of a failure");
  } else {
    again(code, codes, "exit code");
  }
}

void policies_at(View holder, CheckContext& context) {
  std::vector<View> events;
  std::vector<View> codes;
  for (View policy : items_at(holder, "policies")) {
    if (policy->is_map()) one_policy(policy, events, codes, context);
  }
  if (events.size() < 2) return;
  for (View event : events) {
    if (event->text != "*") continue;
    context.refuse(event,
                   "`*` stands for every event, so no other policy of an event goes with it");
  }
}

void policies(View object, CheckContext& context) {
  policies_at(job_spec(object), context);
  for (const Task& task : tasks_of(object)) policies_at(task.node, context);
}

void depends_on(View object, CheckContext& context) {
  const std::vector<Task> all = tasks_of(object);
  WaitsFor graph(all.size());
  bool sound = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const View names = get(get(all[i].node, "dependsOn"), "name");
    std::vector<std::string_view> seen;
    for (View name : names && names->is_seq() ? Items(names) : Items()) {
      if (name.kind() != Kind::String) continue;
      const auto target = std::ranges::find(all, name->text, &Task::name);
      if (target == all.end()) {
        sound = false;
        context.refuse(name, "task " + shown(all[i].name) + " waits for " + shown(name->text) +
                                 ", and there is no such task");
        continue;
      }
      if (std::ranges::find(seen, name->text) != seen.end()) {
        sound = false;
        context.refuse(name, "task " + shown(all[i].name) + " names " + shown(name->text) +
                                 " twice, which counts as a circle");
      }
      seen.push_back(name->text);
      graph[i].push_back(static_cast<std::size_t>(target - all.begin()));
    }
  }
  const std::vector<std::size_t> cycle = sound ? find_cycle(graph) : std::vector<std::size_t>();
  if (cycle.empty()) return;
  std::string path;
  for (std::size_t task : cycle) path += shown(all[task].name) + " waits for ";
  context.refuse(get(all[cycle.front()].node, "dependsOn"),
                 "tasks wait for each other in a circle: " + path + shown(all[cycle.front()].name));
}

/// As that of a pod, which the API server looks up.
void job_class(View object, CheckContext& context) {
  static constexpr std::string_view kIdle[] = {"priority-class", "priorityclass", "priority"};
  const View name = get(job_spec(object), "priorityClassName");
  report_similar_name({"scheduling.k8s.io", "PriorityClass", "priority class", "", name, kIdle},
                      context, Severity::Warning);
}

void job_queue(View object, CheckContext& context) {
  const View queue = get(job_spec(object), "queue");
  if (string_of(queue) == "root") {
    context.refuse(queue, "no job can be in queue `root`; expected one below it");
    return;
  }
  const Inventory* around = context.inventory();
  if (around == nullptr || string_of(queue).empty()) return;
  constexpr std::string_view group = "scheduling.volcano.sh";
  if (queue->text != "default") {
    if (const MissingObject missing =
            missing_object(group, "Queue", "", queue, queue->text, context)) {
      missing.label(context.warn(queue, "there is no queue " + shown(queue->text) +
                                            " among those that are given"),
                    context);
      return;
    }
  }
  for (View other : around->all(group, "Queue")) {
    if (string_at(get(other, "spec"), "parent") != queue->text) continue;
    context.refuse(queue, "queue " + shown(queue->text) + " has queues below it, such as " +
                              shown(string_of(metadata_name(other))) +
                              "; a job can only be in one without");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "volcano-tasks",
     .group = CheckGroup::Training,
     .on = kKinds,
     .sentence = "A job of Volcano has tasks, each with a name of its own.",
     .source = kSource,
     .object = tasks,
     .operators = kVolcano},
    {.name = "volcano-policies",
     .group = CheckGroup::Training,
     .on = kKinds,
     .sentence = "Policies react to events or exit codes that exist, each to another one, with an "
                 "action that exists, and after times with units.",
     .source = kPolicySource,
     .object = policies,
     .operators = kVolcano},
    {.name = "volcano-depends-on",
     .group = CheckGroup::Training,
     .on = kKinds,
     .sentence = "Tasks wait for tasks that exist, and not for each other in a circle.",
     .source = kPolicySource,
     .object = depends_on,
     .operators = kVolcano},
    {.name = "volcano-job-queue",
     .group = CheckGroup::Queue,
     .on = kKinds,
     .sentence = "The queue of a job is there, is not `root`, and has no queues below it.",
     .source = kSource,
     .object = job_queue,
     .operators = kVolcano},
    {.name = "volcano-priority-class",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = kKinds,
     .sentence = "The priority class of a job is there.",
     .source = "volcano-sh/volcano pkg/controllers/job/job_controller_actions.go "
               "createOrUpdatePodGroup; kubernetes/kubernetes plugin/pkg/admission/priority",
     .object = job_class,
     .operators = kVolcano},
};

}  // namespace

constinit const std::span<const Check> volcano_job_checks = kChecks;

}  // namespace trainyard
