#include "platform/platform.h"

namespace trainyard {
namespace {

void run(PlatformContext& context) {
  PlatformPlan& plan = context.plan;
  const Metadata& metadata = *context.in.cluster->metadata;
  const OriginId identity = context.because({context.from(metadata.name.span)});
  plan.labels = context.given(metadata.labels);
  const auto add = [&](std::string_view name, std::string_view value) {
    if (find(*metadata.labels, name) == nullptr) plan.labels.push_back({name, value, identity});
  };
  add("app.kubernetes.io/managed-by", "trainyard");
  add("app.kubernetes.io/name", "training-platform");
}

}  // namespace

extern const PlatformStep identity_step{"platform-identity", "Every object says who made it.", run};

}  // namespace trainyard
