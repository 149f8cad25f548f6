#pragma once

#include <span>
#include <string_view>

#include "platform/platform_context.h"

namespace trainyard {

/// One thing that a platform needs, worked out from the Cluster.
struct PlatformStep {
  std::string_view name;      // as causes of values name it
  std::string_view sentence;  // what it makes sure of
  void (*run)(PlatformContext&) = nullptr;
};

/// In the order of work.
std::span<const PlatformStep* const> platform_steps();
/// The step of this name; null when there is none.
const PlatformStep* find_platform_step(std::string_view name);

/// What must be in the cluster before jobs can run there. If the Cluster leaves out what cannot be
/// inferred, that is an error in `sink`; the plan then means nothing.
void plan_platform(const PlatformInput& input, PlatformPlan& plan, Origins& origins, Sink& sink);

}  // namespace trainyard
