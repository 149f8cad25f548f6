#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// NIM images need a login (NVIDIA NIM documentation, getting started), which a service account may
/// have.
void check_nim(RuleContext& context) {
  if (context.in.cluster != nullptr && context.in.cluster->spec->defaults->service_account) return;
  for (const Role& role : context.plan.roles) {
    if (!role.image || !role.image->starts_with("nvcr.io/nim/")) continue;
    context
        .report(DiagnosticKind::LeftToDo, context.place(role.image.origin),
                "the kubelet needs credentials to pull an image of nvcr.io/nim, and the spec names "
                "no Secret with them")
        .note(
            "name a Secret of type `kubernetes.io/dockerconfigjson` in `imagePullSecrets`, unless "
            "the service account or the nodes have it");
    return;
  }
}

void run(RuleContext& context) {
  const Shape* secrets = &context.spec.image_pull_secrets;
  if (!secrets->given() && context.in.cluster != nullptr) {
    secrets = &context.in.cluster->spec->defaults->image_pull_secrets;
  }
  for (Role& role : context.plan.roles) role.image_pull_secrets = context.shapes(*secrets);
  if (!secrets->given() && !context.spec.service_account) check_nim(context);
}

}  // namespace

extern const Rule pull_secrets_rule{
    "pull-secrets",
    Rule::Phase::Infer,
    "Registry credentials are references to Secrets, those of the Cluster where the spec has none.",
    "A pull secret that does not exist shows as ImagePullBackOff only once a node was found.",
    "spec.imagePullSecrets spec.serviceAccount cluster.defaults.imagePullSecrets "
    "cluster.defaults.serviceAccount role.image",
    "role.imagePullSecrets",
    run};

}  // namespace trainyard
