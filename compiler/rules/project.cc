#include "rules/project.h"

namespace trainyard {

const Text& own_queue(const RuleContext& context) {
  static const Text kNone;
  const std::string_view system = context.in.target->project_system;
  if (system.empty()) return kNone;
  const Text& own = context.spec.scheduling->queue;
  if (own || context.in.cluster == nullptr) return own;
  const DefaultScheduling& defaults = *context.in.cluster->spec->defaults->scheduling;
  const bool same = defaults.system && spelling(*defaults.system) == system;
  return same ? defaults.queue : kNone;
}

}  // namespace trainyard
