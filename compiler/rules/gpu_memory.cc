#include <string>

#include "rules/affinity.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

void check_known(RuleContext& context, const QuantityText& wanted, const QuantityText& known) {
  const auto least = Quantity::parse(*wanted);
  const auto all = Quantity::parse(*known);
  if (!least || !all || *least <= *all) return;
  context
      .report(
          DiagnosticKind::ExceedsMachine, wanted.span,
          "GPUs with " + code(*wanted) + " are wanted, those of the machine have " + code(*known))
      .also(known.span, "their memory");
}

void run(RuleContext& context) {
  constexpr std::int64_t kMebi = 1024 * 1024;
  for (RoleInput& input : context.roles) {
    const QuantityText& wanted = context.of(input, &RoleFields::gpu)->min_memory;
    if (!wanted || *input.role->gpus == 0) continue;
    if (const QuantityText* known = known_gpu_memory(input.nodes)) {
      check_known(context, wanted, *known);
      continue;
    }
    const auto least = Quantity::parse(*wanted);
    const auto bytes = least ? least->whole_units() : std::nullopt;
    if (!bytes) continue;
    // The label is a number of mebibytes.
    require_of_nodes(context, *input.role, "nvidia.com/gpu.memory", "Gt",
                     context.number((*bytes - 1) / kMebi), context.because({context.from(wanted)}));
  }
}

}  // namespace

extern const Rule gpu_memory_rule{
    "gpu-memory",
    Rule::Phase::Infer,
    "GPUs have the memory that is asked for, by the machine where it is known, else by the label "
    "of the node.",
    "The label holds mebibytes, and only node affinity can compare it, by `Gt` "
    "(NVIDIA/k8s-device-plugin docs/gpu-feature-discovery/README.md).",
    "spec.gpu.minMemory role.nodes role.gpus cluster.pools machine.gpu role.affinity",
    "role.affinity",
    run};

}  // namespace trainyard
