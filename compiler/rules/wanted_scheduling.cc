#include "rules/wanted_scheduling.h"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

// kubernetes-sigs/kueue pkg/controller/constants; volcano-sh/apis
// pkg/apis/scheduling/v1beta1/labels.go; kubernetes-sigs/scheduler-plugins manifests/install;
// kai-scheduler/KAI-Scheduler docs/quickstart; Run:ai documentation, "Submitting workloads of other
// kinds".
constexpr std::array<QueueingSystem, 6> kSystems = {{
    {.id = SchedulingSystem::Kueue,
     .name = "Kueue",
     .scheduler = "",
     .queue_label = "kueue.x-k8s.io/queue-name",
     .needs_queue = true,
     .op = Operator::Kueue},
    {.id = SchedulingSystem::Volcano,
     .name = "Volcano",
     .scheduler = "volcano",
     .queue_label = "",
     .gangs = true,
     .op = Operator::Volcano},
    {.id = SchedulingSystem::Kai,
     .name = "KAI",
     .scheduler = "kai-scheduler",
     .queue_label = "kai.scheduler/queue",
     .needs_queue = true,
     .gangs = true,
     .op = Operator::Kai},
    {.id = SchedulingSystem::Coscheduling,
     .name = "scheduler-plugins",
     .scheduler = "scheduler-plugins-scheduler",
     .queue_label = "",
     .gangs = true,
     .times_out = true,
     .op = Operator::SchedulerPlugins},
    {.id = SchedulingSystem::Runai,
     .name = "Run:ai",
     .scheduler = "runai-scheduler",
     .queue_label = "runai/queue",
     .needs_queue = true,
     .op = Operator::Runai},
    {.id = SchedulingSystem::Native,
     .name = "gang scheduling of Kubernetes",
     .scheduler = "",
     .queue_label = "",
     .gangs = true,
     .op = std::nullopt},
}};

/// A Cluster's default is for jobs that another system can queue; its queue is none of the target's
/// own system.
void take_own_system(const RuleContext& context, WantedScheduling& wanted) {
  for (const Queueing& row : context.in.target->queueing) {
    if (!row.always || wanted.word() == row.system) continue;
    const auto known = words(SchedulingSystem{});
    const auto found = std::ranges::find(known, row.system);
    if (found == known.end()) continue;
    static const Text kNone;
    if (wanted.system && !context.spec.scheduling->queue) wanted.queue = &kNone;
    wanted.of_target = static_cast<SchedulingSystem>(found - known.begin());
  }
}

}  // namespace

const QueueingSystem* find_system(const WantedScheduling& wanted) {
  for (const QueueingSystem& system : kSystems) {
    if (wanted.is(system.id)) return &system;
  }
  return nullptr;
}

const QueueingSystem* system_of_label(std::string_view label) {
  const auto found = std::ranges::find(kSystems, label, &QueueingSystem::queue_label);
  return found == kSystems.end() || label.empty() ? nullptr : &*found;
}

WantedScheduling wanted_scheduling(const RuleContext& context) {
  static const DefaultScheduling kNothing{};
  const Scheduling& own = *context.spec.scheduling;
  const DefaultScheduling& cluster =
      context.in.cluster == nullptr ? kNothing : *context.in.cluster->spec->defaults->scheduling;
  WantedScheduling result;
  result.system = own.system ? own.system : cluster.system;
  result.queue = own.queue ? &own.queue : &cluster.queue;
  result.priority = own.priority ? &own.priority : &cluster.priority;
  result.scheduler = own.scheduler_name ? &own.scheduler_name : &cluster.scheduler_name;
  if (!own.system) take_own_system(context, result);
  return result;
}

}  // namespace trainyard
