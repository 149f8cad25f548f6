#include <optional>
#include <string>

#include "plan/release.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  if (context.in.cluster == nullptr || target.kubernetes.empty()) return;
  const Text& given = context.in.cluster->spec->kubernetes;
  const auto has = given ? release(*given) : std::nullopt;
  const auto least = release(target.kubernetes);
  if (!has || !least || *has >= *least) return;
  context
      .report(DiagnosticKind::UnsupportedVersion, given.span,
              "target " + code(target.name) + " needs Kubernetes " +
                  std::string(target.kubernetes) + " or later, the Cluster has " +
                  std::string(*given))
      .also(target.span, "the target");
}

}  // namespace

extern const Rule kubernetes_version_check_rule{
    "kubernetes-version-check",
    Rule::Phase::Check,
    "The cluster's Kubernetes knows all that the target writes.",
    "An older API server drops fields that it does not know, without a word.",
    "cluster.kubernetes target.kubernetes",
    "",
    run};

}  // namespace trainyard
