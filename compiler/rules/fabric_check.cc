#include <algorithm>
#include <string>
#include <vector>

#include "diag/suggest.h"
#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

bool is_plain(std::string_view fabric) {
  return fabric.empty() || fabric == "tcp" || fabric == "none";
}

/// Fabrics that a machine or the Cluster has.
std::vector<std::string_view> known_fabrics(const RuleContext& context) {
  std::vector<std::string_view> known = {"auto", "none"};
  for (const std::string& name : context.in.machines->names()) {
    const Machine& machine = *context.in.machines->find(name);
    if (machine.fabric) known.push_back(*machine.fabric);
    if (machine.underlay) known.push_back(*machine.underlay);
  }
  if (context.in.cluster == nullptr) return known;
  for (const auto& fabric : *context.in.cluster->spec->network->fabrics) {
    known.push_back(fabric.key);
  }
  return known;
}

void refuse(RuleContext& context, const Text& wanted) {
  const auto known = known_fabrics(context);
  if (std::find(known.begin(), known.end(), *wanted) != known.end()) {
    context
        .report(DiagnosticKind::NotExpressible, wanted.span,
                "fabric " + code(*wanted) + " is not available in this version")
        .note("`fabric: none` uses TCP on the pod network");
    return;
  }
  Diagnostic& report = context.report(DiagnosticKind::UnknownReference, wanted.span,
                                      "there is no fabric " + code(*wanted));
  if (const auto near = suggest(*wanted, known)) {
    report.fix(wanted.span, std::string(*near), "did you mean " + code(*near) + "?");
  }
}

void run(RuleContext& context) {
  const Text& wanted = context.spec.network->fabric;
  if (wanted && *wanted != "auto") {
    if (is_plain(*wanted)) return;
    refuse(context, wanted);
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
    "spec.network.fabric cluster.network.fabrics machine.fabric plan.multiNode",
    "",
    run};

}  // namespace trainyard
