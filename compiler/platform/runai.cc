#include "platform/platform.h"
#include "platform/queues.h"

namespace trainyard {
namespace {

/// The resource of a project is Run:ai's own and not public; its queues follow from it.
void run(PlatformContext& context) {
  for (const Queue* queue : queues_to_make(context, QueueSystem::Runai, Operator::Runai)) {
    context
        .report(DiagnosticKind::NotExpressible, queue->name.span,
                "the project " + code(*queue->name) +
                    " cannot be made by a manifest: Run:ai makes projects, with their queues and "
                    "namespaces, through its own API")
        .note("make it there, and say `existing: true`");
  }
}

}  // namespace

extern const PlatformStep runai_step{
    "platform-runai", "Projects of Run:ai are not written, since only Run:ai itself makes them.",
    run};

}  // namespace trainyard
