#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// The number that a controller gives all pods. Where it multiplies with it to get WORLD_SIZE,
/// which counts nodes to TAO, it is 1: TAO gives its own number of processes to torchrun
/// (NVIDIA-TAO/tao-pytorch nvidia_tao_pytorch/core/entrypoint.py).
void one_number(RuleContext& context) {
  const Role& role = context.plan.roles.back();
  const bool counts_nodes = *context.plan.framework == "tao" && context.injects("WORLD_SIZE");
  const OriginId origin = counts_nodes ? context.plan.framework.origin : role.processes.origin;
  context.set(context.plan.processes, context.number(counts_nodes ? 1 : *role.processes),
              context.because({origin}));
}

void set_processes(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    Role& role = *input.role;
    const Integer& wanted = context.of(input, &RoleFields::processes_per_node);
    const std::int64_t gpus = *role.gpus;
    if (!role.trains) {
      context.set(role.processes, std::int64_t{1}, context.because({}));
      continue;
    }
    if (!wanted) {
      context.set(role.processes, gpus > 0 ? gpus : 1, context.because({role.gpus.origin}));
      continue;
    }
    context.set(role.processes, *wanted, context.from(wanted));
    if (gpus == 0 || *wanted == gpus) continue;
    if (*wanted > gpus) {
      context
          .report(DiagnosticKind::ProcessesAgainstGpus, wanted.span,
                  std::to_string(*wanted) + " processes per node share " + std::to_string(gpus) +
                      (gpus == 1 ? " GPU" : " GPUs"))
          .also(context.place(role.gpus.origin), "GPUs per node")
          .note("NCCL refuses two ranks on one GPU; ask for at most one process per GPU");
    }
  }
}

void run(RuleContext& context) {
  set_processes(context);
  one_number(context);
}

}  // namespace

extern const Rule processes_rule{
    "processes",
    Rule::Phase::Infer,
    "The number of processes per node is explicit and at most the number of GPUs.",
    "A launcher that counts devices itself counts MIG slices and shared GPUs wrongly "
    "(kubeflow/trainer pkg/runtime/framework/plugins/torch).",
    "spec.processesPerNode role.gpus role.name plan.framework spec.elastic target.injects",
    "role.processes plan.processes",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
