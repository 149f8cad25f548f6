#include <algorithm>
#include <optional>

#include "plan/release.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  if (context.in.cluster == nullptr || target.op_since.empty()) return;
  const auto names = words(Operator{});
  const auto at = std::find(names.begin(), names.end(), target.op);
  if (at == names.end()) return;
  const Text given =
      operator_version(*context.in.cluster, static_cast<Operator>(at - names.begin()));
  const std::optional<Release> has = given ? release(*given) : std::nullopt;
  const std::optional<Release> least = release(target.op_since);
  if (!has || !least || *has >= *least) return;
  context
      .report(DiagnosticKind::UnsupportedVersion, given.span,
              "target " + code(target.name) + " needs " + std::string(target.op) + " " +
                  std::string(target.op_since) + " or later, the Cluster has " +
                  std::string(*given))
      .also(target.span, "the target");
}

}  // namespace

extern const Rule operator_version_check_rule{
    "operator-version-check",
    Rule::Phase::Check,
    "The release of the target's operator that the Cluster has knows all that is written.",
    "An API server drops fields that the operator's older CRDs do not have, without a word.",
    "cluster.operators target.operatorSince",
    "",
    run};

}  // namespace trainyard
