#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

bool is_plain(std::string_view fabric) {
  return fabric.empty() || fabric == "tcp" || fabric == "none";
}

void run(RuleContext& context) {
  const Text& wanted = context.spec.network->fabric;
  if (wanted && *wanted != "auto") {
    if (is_plain(*wanted)) return;
    context
        .report(DiagnosticKind::NotExpressible, wanted.span,
                "fabric " + code(*wanted) + " is not available in this version")
        .note("`fabric: none` uses TCP on the pod network");
    return;
  }
  if (!*context.plan.multi_node) return;
  for (const RoleInput& input : context.roles) {
    const Machine* machine = input.nodes.machine;
    if (machine == nullptr || is_plain(*machine->fabric)) continue;
    context
        .report(DiagnosticKind::FabricNotUsed, context.machine_place(input),
                code(*machine->name) + " has the fabric " + code(*machine->fabric) +
                    ", but this job would talk over TCP")
        .note(
            "this version writes no fabric parts; add them under `spec.pod`, or accept TCP with "
            "`network: {fabric: none}`");
  }
}

}  // namespace

extern const Rule fabric_check_rule{
    "fabric-check",
    Rule::Phase::Check,
    "A job on several nodes never falls back to TCP without a word.",
    "NCCL falls back to sockets and says so only in its debug log; training is then several times "
    "slower.",
    "spec.network.fabric machine.fabric plan.multiNode",
    "",
    run};

}  // namespace trainyard
