#include <algorithm>
#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  if (context.in.cluster == nullptr || target.op.empty()) return;
  const Cluster& cluster = *context.in.cluster;
  const auto names = words(Operator{});
  const auto known = std::ranges::find(names, target.op);
  if (!cluster.spec->operators || known == names.end()) return;
  if (operator_version(cluster, static_cast<Operator>(known - names.begin()))) return;
  const Text& wanted = context.spec.target;
  context
      .report(DiagnosticKind::UnknownReference, wanted ? wanted.span : context.in.job->spec.span,
              "target " + code(target.name) + " needs the operator " + code(target.op) +
                  ", which is not installed in this cluster")
      .also(cluster.spec->operators.span, "the operators that are");
}

}  // namespace

extern const Rule operator_check_rule{
    "operator-check",
    Rule::Phase::Check,
    "The operator that runs the target's jobs is one of the cluster's, where it lists any.",
    "Without it the API server knows no such kind, and nothing would make pods of it.",
    "spec.target cluster.operators target.operator",
    "",
    run};

}  // namespace trainyard
