#include <algorithm>

#include "platform/platform.h"
#include "platform/queues.h"
#include "platform/topologies.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

constexpr std::int64_t kUnlimited = -1;

/// A resource that KAI shares out, in its unit.
struct Unit {
  std::string_view resource;
  std::int64_t times = 1;
  std::int64_t over = 1;
};
// kai-scheduler/KAI-Scheduler docs/queues: thousandths of a CPU, millions of bytes.
constexpr Unit kCpu{"cpu", 1000, 1};
constexpr Unit kMemory{"memory", 1, 1'000'000};

std::optional<std::int64_t> in_units(std::string_view text, const Unit& unit) {
  const auto amount = Quantity::parse(text);
  const auto times = amount ? multiply(*amount, unit.times) : std::nullopt;
  const auto whole = times ? times->whole_units() : std::nullopt;
  if (!whole) return std::nullopt;
  return *whole / unit.over;
}

Field<std::int64_t> amount(const PlatformContext& context, const TextMap& map, const Unit& unit,
                           Field<std::int64_t> otherwise) {
  const Text* said = find(*map, unit.resource);
  const auto value = said == nullptr ? std::nullopt : in_units(**said, unit);
  if (!value) return otherwise;
  return context.computed(*value, {said->span});
}

KaiShare share_of(const PlatformContext& context, const Queue& queue, const Unit& unit,
                  std::int64_t unstated) {
  const auto fixed = [&](std::int64_t value) { return context.computed(value, {queue.name.span}); };
  KaiShare made;
  made.quota = amount(context, queue.quota, unit, fixed(unstated));
  made.limit = amount(context, queue.limit, unit, fixed(kUnlimited));
  made.weight = context.given(queue.weight);
  return made;
}

void refuse_others(PlatformContext& context, const TextMap& map, std::string_view gpu) {
  for (const auto& entry : *map) {
    if (entry.key == "cpu" || entry.key == "memory" || entry.key == gpu) continue;
    context
        .report(DiagnosticKind::NotExpressible, entry.key_span,
                "queues of KAI share out GPUs, CPU and memory, not " + code(entry.key))
        .note("a MIG slice counts as GPUs there, one for each part of its profile");
  }
}

bool is_parent(const PlatformContext& context, const Queue& queue) {
  return std::ranges::any_of(*context.cluster.queues, [&](const Located<Queue>& other) {
    return other->parent && *other->parent == *queue.name;
  });
}

/// KAI takes jobs only in a queue that is below another one.
void check_levels(PlatformContext& context, const Queue& queue) {
  if (queue.parent || is_parent(context, queue)) return;
  context
      .report(DiagnosticKind::MissingFact, queue.name.span,
              "KAI takes jobs only in queues below another, and " + code(*queue.name) +
                  " has no `parent`")
      .note("its chart makes one that is called `default-parent-queue`");
}

bool has_kai(const PlatformContext& context) {
  if (context.cluster.operators) return context.has(Operator::Kai);
  return uses(context.cluster, QueueSystem::Kai);
}

void run(PlatformContext& context) {
  const std::string_view gpu = context.cluster.gpu->resource.value_or("nvidia.com/gpu");
  for (const Queue* queue : queues_to_make(context, QueueSystem::Kai, Operator::Kai)) {
    check_levels(context, *queue);
    refuse_others(context, queue->quota, gpu);
    refuse_others(context, queue->limit, gpu);
    KaiQueuePlan made;
    made.name = context.given(queue->name);
    made.parent = context.given(queue->parent);
    // GPUs that are not stated are not guaranteed, but a queue above others must not hold those
    // back. CPU and memory that are not stated do not hold jobs up.
    made.gpu = share_of(context, *queue, {gpu}, is_parent(context, *queue) ? kUnlimited : 0);
    made.cpu = share_of(context, *queue, kCpu, kUnlimited);
    made.memory = share_of(context, *queue, kMemory, kUnlimited);
    context.plan.kai_queues.push_back(std::move(made));
  }
  if (!has_kai(context)) return;
  for (const auto& pool : *context.cluster.pools) {
    if (auto made = topology_of(context, *pool)) {
      context.plan.kai_topologies.push_back(std::move(*made));
    }
  }
}

}  // namespace

extern const PlatformStep kai_step{
    "platform-kai",
    "Queues of KAI are there, with GPUs, CPU and memory in its own units, and topologies for its "
    "jobs.",
    run};

}  // namespace trainyard
