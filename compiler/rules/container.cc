#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

constexpr std::string_view kDefaultName = "main";

void pull_policy(RuleContext& context, RoleInput& input) {
  const auto& own = context.of(input, &RoleFields::image_pull_policy);
  const auto* policy = &own;
  if (!own && context.in.cluster != nullptr) {
    policy = &context.in.cluster->spec->defaults->image_pull_policy;
  }
  if (!policy->given()) return;
  const std::string_view word = words(ImagePullPolicy{})[static_cast<std::size_t>(**policy)];
  context.set(input.role->image_pull_policy, word, context.from(*policy));
}

void account(RuleContext& context, Role& role) {
  const Text* account = &context.spec.service_account;
  if (!*account && context.in.cluster != nullptr) {
    account = &context.in.cluster->spec->defaults->service_account;
  }
  if (*account) {
    context.set(role.service_account, **account, context.from(*account));
  } else {
    // Training talks to no API server; a token in every pod is only something to steal.
    context.set(role.mount_token, false, context.by_default("spec.serviceAccount"));
  }
}

void run(RuleContext& context) {
  const std::string_view wanted = context.in.target->container_name;
  for (RoleInput& input : context.roles) {
    Role& role = *input.role;
    const OriginId named = context.because({});
    context.set(role.container_name, wanted.empty() ? kDefaultName : wanted, named);
    const Text& image = context.of(input, &RoleFields::image);
    context.set(role.image, *image, context.from(image));
    pull_policy(context, input);
    account(context, role);
    context.set(role.service_links, false, named);
    for (const NamedValue& label : context.plan.labels) {
      context.add(role.pod_labels, label.name, label.value, label.origin);
    }
    const Shape& ports = context.spec.network->ports;
    if (ports) context.set(role.ports, context.shape(ports), context.from(ports));
  }
}

}  // namespace

extern const Rule container_rule{
    "container",
    Rule::Phase::Infer,
    "The training container has its image, its name, its ports and no token it does not need.",
    "Without `enableServiceLinks: false` every Service of the namespace becomes variables, and one "
    "called `master` overwrites nothing but confuses everyone (kubernetes/kubernetes "
    "pkg/kubelet/envvars/envvars.go).",
    "spec.image spec.imagePullPolicy spec.serviceAccount spec.network.ports "
    "cluster.defaults.imagePullPolicy cluster.defaults.serviceAccount "
    "plan.labels target.containerName",
    "role.containerName role.image role.imagePullPolicy role.serviceAccount role.mountToken "
    "role.serviceLinks role.podLabels role.ports",
    run};

}  // namespace trainyard
