#include "platform/platform.h"

#include <algorithm>

namespace trainyard {

extern const PlatformStep identity_step;
extern const PlatformStep namespaces_step;
extern const PlatformStep priorities_step;
extern const PlatformStep queues_step;
extern const PlatformStep kueue_step;
extern const PlatformStep volcano_step;
extern const PlatformStep hyper_nodes_step;
extern const PlatformStep kai_step;
extern const PlatformStep runai_step;
extern const PlatformStep runtimes_step;
extern const PlatformStep gke_step;
extern const PlatformStep gpu_operator_step;
extern const PlatformStep nemo_step;

std::span<const PlatformStep* const> platform_steps() {
  static constexpr const PlatformStep* kSteps[] = {
      &identity_step,    &namespaces_step,   &priorities_step, &queues_step, &kueue_step,
      &hyper_nodes_step, &volcano_step,      &kai_step,        &runai_step,  &runtimes_step,
      &gke_step,         &gpu_operator_step, &nemo_step,
  };
  return kSteps;
}

const PlatformStep* find_platform_step(std::string_view name) {
  const auto steps = platform_steps();
  const auto found = std::ranges::find(steps, name, &PlatformStep::name);
  return found == steps.end() ? nullptr : *found;
}

void plan_platform(const PlatformInput& input, PlatformPlan& plan, Origins& origins, Sink& sink) {
  PlatformContext context(input, plan, origins, sink);
  for (const PlatformStep* step : platform_steps()) {
    context.step = step->name;
    step->run(context);
  }
}

}  // namespace trainyard
