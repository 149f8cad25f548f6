#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void run(RuleContext& context) {
  const Shape* secrets = &context.spec.image_pull_secrets;
  if (!secrets->given() && context.in.cluster != nullptr) {
    secrets = &context.in.cluster->spec->defaults->image_pull_secrets;
  }
  for (Role& role : context.plan.roles) role.image_pull_secrets = context.shapes(*secrets);
}

}  // namespace

extern const Rule pull_secrets_rule{
    "pull-secrets",
    Rule::Phase::Infer,
    "Registry credentials are references to Secrets, those of the Cluster where the spec has none.",
    "A pull secret that does not exist shows as ImagePullBackOff only once a node was found.",
    "spec.imagePullSecrets cluster.defaults.imagePullSecrets",
    "role.imagePullSecrets",
    run};

}  // namespace trainyard
