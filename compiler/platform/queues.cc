#include "platform/queues.h"

#include <algorithm>

#include "platform/platform.h"

namespace trainyard {
namespace {

std::optional<QueueSystem> default_system(const ClusterSpec& cluster) {
  const auto& system = cluster.defaults->scheduling->system;
  if (!system) return std::nullopt;
  switch (*system) {
    case SchedulingSystem::Kueue:
      return QueueSystem::Kueue;
    case SchedulingSystem::Volcano:
      return QueueSystem::Volcano;
    case SchedulingSystem::Kai:
      return QueueSystem::Kai;
    case SchedulingSystem::Runai:
      return QueueSystem::Runai;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<QueueSystem> system_of(const ClusterSpec& cluster, const Queue& queue) {
  return queue.system ? std::optional(*queue.system) : default_system(cluster);
}

std::vector<const Queue*> queues_to_make(PlatformContext& context, QueueSystem system,
                                         Operator which) {
  std::vector<const Queue*> result;
  for (const auto& queue : *context.cluster.queues) {
    if (queue->existing.value_or(false)) continue;
    if (system_of(context.cluster, *queue) != system) continue;
    result.push_back(&*queue);
    if (system == QueueSystem::Kueue || !queue->preemption) continue;
    context
        .report(
            DiagnosticKind::NoEffect, queue->preemption.span,
            "only queues of Kueue have `preemption`, so it has no effect on " + code(*queue->name))
        .note("elsewhere it follows from the priority of jobs and what they deserve");
  }
  if (result.empty() || context.has(which)) return result;
  const Queue& first = *result.front();
  const Span asked = first.system ? first.system.span : first.name.span;
  context
      .report(DiagnosticKind::QueueMismatch, asked,
              "a queue of " + code(words(which)[static_cast<std::size_t>(which)]) +
                  ", which is not installed in this cluster")
      .also(context.cluster.operators.span, "the operators that are");
  return {};
}

std::vector<Text> namespaces_of(PlatformContext& context, const Queue& queue) {
  if (!queue.namespaces->empty()) return *queue.namespaces;
  if (context.cluster.defaults->ns) return {context.cluster.defaults->ns};
  context
      .report(DiagnosticKind::MissingFact, queue.name.span,
              "the Cluster does not say whose queue " + code(*queue.name) + " is")
      .note("name its `namespaces`, or the namespace of jobs in `defaults`");
  return {};
}

bool uses(const ClusterSpec& cluster, QueueSystem system) {
  if (default_system(cluster) == system) return true;
  return std::ranges::any_of(*cluster.queues, [&](const Located<Queue>& queue) {
    return system_of(cluster, *queue) == system;
  });
}

namespace {

void run(PlatformContext& context) {
  for (const auto& queue : *context.cluster.queues) {
    if (queue->existing.value_or(false) || system_of(context.cluster, *queue)) continue;
    context
        .report(
            DiagnosticKind::MissingFact, queue->name.span,
            "the Cluster does not say which system the queue " + code(*queue->name) + " belongs to")
        .note("name it in `system`, or in the scheduling of `defaults`");
  }
}

}  // namespace

extern const PlatformStep queues_step{"platform-queues", "Every queue belongs to a system.", run};

}  // namespace trainyard
