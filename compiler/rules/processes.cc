#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
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

}  // namespace

extern const Rule processes_rule{
    "processes",
    Rule::Phase::Infer,
    "The number of processes per node is explicit and at most the number of GPUs.",
    "A launcher that counts devices itself counts MIG slices and shared GPUs wrongly "
    "(kubeflow/trainer pkg/runtime/framework/plugins/torch).",
    "spec.processesPerNode role.gpus",
    "role.processes",
    run};

}  // namespace trainyard
