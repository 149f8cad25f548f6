#include "platform/platform.h"
#include "platform/queues.h"

namespace trainyard {
namespace {

constexpr std::string_view kEnforce = "pod-security.kubernetes.io/enforce";
constexpr std::string_view kRunaiQueue = "runai/queue";

std::string_view spelled(const Located<SecurityLevel>& level) {
  return words(*level)[static_cast<std::size_t>(*level)];
}

/// The project of Run:ai that a namespace is for; null when there is none.
const Queue* project_of(const PlatformContext& context, std::string_view ns) {
  for (const auto& queue : *context.cluster.queues) {
    if (system_of(context.cluster, *queue) != QueueSystem::Runai) continue;
    for (const Text& name : *queue->namespaces) {
      if (*name == ns) return &*queue;
    }
  }
  return nullptr;
}

void make(PlatformContext& context, const NamespaceInfo& known) {
  NamespacePlan made;
  made.name = context.given(known.name);
  made.labels = context.plan.labels;
  if (known.pod_security) {
    made.labels.push_back(
        {kEnforce, spelled(known.pod_security), context.from(known.pod_security.span)});
  }
  const Queue* project = project_of(context, *known.name);
  // Run:ai itself looks after the namespace that it makes for a project.
  if (project != nullptr && *known.name != "runai-" + std::string(*project->name)) {
    made.labels.push_back({kRunaiQueue, *project->name, context.from(project->name.span)});
  }
  context.plan.namespaces.push_back(std::move(made));
}

void run(PlatformContext& context) {
  for (const auto& known : *context.cluster.namespaces) {
    if (!known->existing.value_or(true)) make(context, *known);
    if (known->quota->empty()) continue;
    context.plan.quotas.push_back({context.given(known->name), context.given(known->quota)});
  }
}

}  // namespace

extern const PlatformStep namespaces_step{
    "platform-namespaces",
    "Namespaces that the Cluster asks for exist, with their Pod Security level and quota.", run};

}  // namespace trainyard
