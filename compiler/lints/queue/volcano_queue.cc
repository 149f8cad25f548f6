// Whether the queue of a Volcano Job can ever hold it.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/resource_amounts.h"
#include "check/check.h"
#include "diag/words.h"
#include "lints/queue/queue_fit.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "source/characters.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The queue of a job; an empty view where it is not among the inputs.
View queue_of(const Workload& workload, CheckContext& context) {
  const std::string_view named = string_at(workload.spec, "queue");
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  const View queue =
      inventory->find("scheduling.volcano.sh", "Queue", "", named.empty() ? "default" : named);
  // Volcano makes the queue `default` itself: one in another file is perhaps of another cluster.
  const bool is_other = named.empty() && queue && queue->span.file != workload.spec->span.file;
  return is_other ? View() : queue;
}

/// What the pods take that are started together; nothing where it is not known which ones these
/// are.
std::optional<Quantity> taken_together(const Workload& workload, std::string_view resource) {
  const View least = get(workload.spec, "minAvailable");
  const auto pods = integer_of(least);
  if (!least || pods == workload.pods()) return taken(workload, resource);
  if (!pods || *pods > workload.pods() || workload.roles.size() != 1) return std::nullopt;
  const auto one = requested(workload.roles.front().pod, resource);
  return one ? multiply(*one, *pods) : std::nullopt;
}

void check_capability(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch.volcano.sh", "Job")) return;
  const View queue = queue_of(workload, context);
  for (View limit : entries_at(get(queue, "spec"), "capability")) {
    const auto most = limit->is_scalar() ? Quantity::parse(limit->text) : std::nullopt;
    const auto all = taken_together(workload, limit.key());
    if (!most || !all || *all <= *most) continue;
    const View named = get(workload.spec, "queue");
    context
        .lint(named ? named : workload.spec,
              "queue " + shown(string_at(get(queue, "metadata"), "name")) + " holds at most " +
                  shown(most->text()) + " of " + shown(limit.key()) +
                  ", and the pods that start together take " + shown(all->text()))
        .also(context.place(limit), "the most");
  }
}

/// What stands for a task in the names of its variables.
std::string in_variables(std::string_view task) {
  std::string name = upper_case(task);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string tasks_of(const Workload& workload) {
  std::vector<std::string> names;
  for (const WorkloadRole& role : workload.roles) names.emplace_back(role.name);
  return listed(names, "and");
}

/// `VC_WORKER_HOSTS`: the middle names a task, and begins at `begin`. The script is searched for
/// names that are not `seen` yet.
void variable_of_task(const Workload& workload, View container, View text, std::size_t begin,
                      std::set<std::string_view>& seen, CheckContext& context) {
  constexpr std::size_t kMostNames = 16;
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const std::string_view all = text->text;
  const std::size_t end = std::min(all.find_first_not_of(kLetters, begin), all.size());
  const std::string_view name = all.substr(begin, end - begin);
  if (seen.size() == kMostNames || !seen.insert(name).second) return;
  std::string_view task = name.substr(3);
  for (std::string_view end_of_name : {"_HOSTS", "_NUM"}) {
    if (!task.ends_with(end_of_name)) continue;
    task.remove_suffix(end_of_name.size());
    const bool is_there = std::ranges::any_of(
        workload.roles, [&](const WorkloadRole& role) { return in_variables(role.name) == task; });
    if (is_there || task.empty() || variable(container, name)) return;
    const bool has_default = end < all.size() &&
                             std::string_view(":-+=").find(all[end]) != std::string_view::npos &&
                             all[begin - 1] == '{';
    if (has_default || script_sets(container, name)) return;
    context.lint(WordView(text, begin, end),
                 "nothing sets " + shown(name) + ": the job has the tasks " + tasks_of(workload));
    return;
  }
}

/// volcano-sh/volcano pkg/controllers/job/plugins/svc/svc.go: for each task a variable with its
/// hosts, one with their number, and a file.
void check_task_words(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch.volcano.sh", "Job")) return;
  if (!get(get(workload.spec, "plugins"), "svc")) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (has_items(get(container, "envFrom"))) continue;
      std::set<std::string_view> seen;
      for (std::string_view field : {"command", "args"}) {
        for (View argument : items_at(container, field)) {
          if (!argument->is_scalar()) continue;
          const std::string_view text = argument->text;
          for (std::size_t at = text.find("VC_"); at != text.npos; at = text.find("VC_", at + 3)) {
            const bool begins =
                at > 0 && (text[at - 1] == '$' || text[at - 1] == '{' || text[at - 1] == '(');
            if (begins) variable_of_task(workload, container, argument, at, seen, context);
          }
        }
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "volcano-task-variable",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Variables with the hosts of a task are named after a task of the Volcano Job.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins/svc/svc.go",
     .workload = check_task_words,
     .severity = Severity::Warning,
     .because = "The variable is empty, and so is the address that is made from it.",
     .fix = "write `VC_TASK_HOSTS` with the name of the task in capitals, `_` for `-`"},
    {.name = "fits-volcano-queue",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .sentence = "What the pods of a Volcano Job take that start together is within the capability "
                 "of its queue.",
     .source = "volcano-sh/volcano docs/design/capacity-scheduling.md: Capability; "
               "pkg/scheduler/plugins/proportion/proportion.go JobEnqueueable",
     .workload = check_capability,
     .severity = Severity::Warning,
     .because = "A queue never holds more than its capability: the job stays `Pending`, and no pod "
                "of it is made.",
     .fix = "name another queue, ask for less, or raise the `capability` of the queue"},
};

}  // namespace

const std::span<const Check> volcano_queue_lints = kChecks;

}  // namespace trainyard
