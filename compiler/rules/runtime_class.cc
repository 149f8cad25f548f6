#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  if (context.in.cluster == nullptr) return;
  const Text& runtime = context.in.cluster->spec->gpu->runtime_class;
  if (!runtime) return;
  for (Role& role : context.plan.roles) {
    if (*role.gpus > 0) context.set(role.runtime_class, *runtime, context.from(runtime));
  }
}

}  // namespace

extern const Rule runtime_class_rule{
    "runtime-class",
    Rule::Phase::Infer,
    "GPU pods name a runtime class where the Cluster says that one is needed.",
    "With CDI, the default of the GPU Operator since 25.10, none is needed (NVIDIA/gpu-operator "
    "deployments/gpu-operator/values.yaml).",
    "cluster.gpu.runtimeClass role.gpus",
    "role.runtimeClass",
    run};

}  // namespace trainyard
