#include "platform/platform.h"
#include "platform/queues.h"

namespace trainyard {
namespace {

void run(PlatformContext& context) {
  for (const Queue* queue : queues_to_make(context, QueueSystem::Volcano, Operator::Volcano)) {
    VolcanoQueuePlan made;
    made.name = context.given(queue->name);
    made.parent = context.given(queue->parent);
    made.weight = context.given(queue->weight);
    made.capability = context.given(queue->limit);
    made.deserved = context.given(queue->quota);
    context.plan.volcano_queues.push_back(std::move(made));
  }
}

}  // namespace

extern const PlatformStep volcano_step{
    "platform-volcano",
    "Queues of Volcano are there; what is guaranteed is what they deserve, the limit their "
    "capability.",
    run};

}  // namespace trainyard
