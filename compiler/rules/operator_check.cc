#include <algorithm>
#include <string>

#include "rules/device_claims.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Whether the Cluster lists operators and this one is not among them.
bool lacks(const RuleContext& context, Operator which) {
  const Cluster* cluster = context.in.cluster;
  return cluster != nullptr && cluster->spec->operators && !operator_version(*cluster, which);
}

void check_target(RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  const auto names = words(Operator{});
  const auto known = std::ranges::find(names, target.op);
  if (target.op.empty() || known == names.end()) return;
  if (!lacks(context, static_cast<Operator>(known - names.begin()))) return;
  const Text& wanted = context.spec.target;
  context
      .report(DiagnosticKind::UnknownReference, wanted ? wanted.span : context.in.job->spec.span,
              "target " + code(target.name) + " needs the operator " + code(target.op) +
                  ", which is not installed in this cluster")
      .also(context.in.cluster->spec->operators.span, "the operators that are");
}

/// GPUs and slices by claims come from NVIDIA's driver.
void check_claims(RuleContext& context) {
  if (!lacks(context, Operator::DraDriver)) return;
  for (const RoleInput& input : context.roles) {
    if (!input.role->gpu_class) continue;
    context
        .report(DiagnosticKind::UnknownReference, claims_of_gpus(context, input.nodes)->span,
                "claims for GPUs need the operator `dra-driver`, which is not installed in this "
                "cluster")
        .also(context.in.cluster->spec->operators.span, "the operators that are");
    return;
  }
}

void run(RuleContext& context) {
  check_target(context);
  check_claims(context);
}

}  // namespace

extern const Rule operator_check_rule{
    "operator-check",
    Rule::Phase::Check,
    "The operator that runs the target's jobs, and the driver of claimed GPUs, are among the "
    "cluster's, where it lists any.",
    "Without the operator the API server knows no such kind, and nothing would make pods of it; "
    "without the driver no node has a device of the class (NVIDIA/k8s-dra-driver-gpu).",
    "spec.target role.gpuClass role.nodes cluster.gpu.allocation cluster.pools cluster.operators "
    "target.operator",
    "",
    run};

}  // namespace trainyard
