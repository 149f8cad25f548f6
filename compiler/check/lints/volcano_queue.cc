// Whether the queue of a Volcano Job can ever hold it.

#include <optional>
#include <string>
#include <string_view>

#include "check/amounts.h"
#include "check/check.h"
#include "check/lints/queue_fit.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

/// The queue of a job; an empty view where it is not among the inputs.
View queue_of(const Workload& workload, CheckContext& context) {
  const std::string_view named = string_at(workload.spec, "queue");
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  return inventory->find("scheduling.volcano.sh", "Queue", "", named.empty() ? "default" : named);
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
    const auto all = taken_together(workload, limit->key);
    if (!most || !all || *all <= *most) continue;
    const View named = get(workload.spec, "queue");
    context
        .lint(named ? named : workload.spec,
              "queue " + shown(string_at(get(queue, "metadata"), "name")) + " holds at most " +
                  shown(most->text()) + " of " + shown(limit->key) +
                  ", and the pods that start together take " + shown(all->text()))
        .also(context.place(limit), "the most");
  }
}

constexpr Check kChecks[] = {
    {.name = "fits-volcano-queue",
     .on = "workload",
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
