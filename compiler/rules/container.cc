#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void pull_policy(RuleContext& context, RoleInput& input) {
  const auto& own = context.of(input, &RoleFields::image_pull_policy);
  const auto* policy = &own;
  if (!own && context.in.cluster != nullptr) {
    policy = &context.in.cluster->spec->defaults->image_pull_policy;
  }
  if (!policy->given()) return;
  context.set(input.role->image_pull_policy, spelling(**policy), context.from(*policy));
}

/// The autoscaler of a Ray cluster runs beside its head, and changes the cluster through the API
/// server (ray-project/kuberay ray-operator/controllers/ray/common/rbac.go).
bool talks_to_server(const RuleContext& context, const RoleInput& input) {
  return input.is_coordinator && context.spec.elastic.given() &&
         framework_of(context) == Framework::Ray;
}

void account(RuleContext& context, const RoleInput& input) {
  Role& role = *input.role;
  const Text* account = &context.spec.service_account;
  if (!*account && context.in.cluster != nullptr) {
    account = &context.in.cluster->spec->defaults->service_account;
  }
  if (*account) {
    context.set(role.service_account, **account, context.from(*account));
  } else if (!talks_to_server(context, input)) {
    // Training talks to no API server; a token in every pod is only something to steal.
    context.set(role.mount_token, false, context.by_default("spec.serviceAccount"));
  }
}

/// The operator finds the port of the rendezvous by its name, and makes a Service of all ports of
/// the container, in which each needs a name (kubeflow/training-operator
/// pkg/controller.v1/common/service.go).
void named_ports(RuleContext& context, Role& role) {
  Tree& tree = context.tree();
  const Field<std::int64_t>& port = context.plan.rendezvous.port;
  if (role.ports) {
    for (NodeId each : tree.children(*role.ports)) {
      const NodeId number = tree.find(each, "containerPort");
      if (number == kNoNode || tree.find(each, "name") != kNoNode) continue;
      const OriginId origin = context.because({tree[number].origin});
      tree.append(each, "name", tree.add_string(context.text("port-", tree[number].text), origin));
    }
  }
  if (!port) return;
  const OriginId origin = context.because({port.origin});
  if (!role.ports) context.set(role.ports, tree.add_seq(origin), origin);
  const NodeId own = tree.add_map(origin);
  tree.append(own, "name", tree.add_string(context.in.target->port_name, origin));
  tree.append(own, "containerPort", tree.add_int(*port, origin));
  tree.append(*role.ports, own);
}

/// A runtime that exists names an image of its own.
void image(RuleContext& context, const RoleInput& input) {
  const Text& image = context.of(input, &RoleFields::image);
  if (image) {
    context.set(input.role->image, *image, context.from(image));
  } else if (!context.plan.runtime.exists && &input == &context.roles.front()) {
    context.report(DiagnosticKind::MissingField, context.in.job->spec.span, "missing field `image`")
        .at("spec")
        .note("only a job on a `runtime` that exists takes the image from there");
  }
}

/// Number and protocol identify a port. Argo CD compares a custom resource without
/// the defaults of its definition, and would take the one that the API server fills in for a
/// difference (argoproj/argo-cd gitops-engine/pkg/diff/diff.go StructuredMergeDiff).
void state_protocols(RuleContext& context, Role& role) {
  if (!role.ports) return;
  Tree& tree = context.tree();
  for (const NodeId each : tree.children(*role.ports)) {
    const NodeId number = tree.find(each, "containerPort");
    if (number == kNoNode || tree.find(each, "protocol") != kNoNode) continue;
    tree.append(each, "protocol", tree.add_string("TCP", context.because({tree[number].origin})));
  }
}

void run(RuleContext& context) {
  const std::string_view wanted = context.in.target->container_name;
  for (RoleInput& input : context.roles) {
    Role& role = *input.role;
    const OriginId named = context.because({});
    context.set(role.container_name, wanted.empty() ? kMainContainer : wanted, named);
    image(context, input);
    pull_policy(context, input);
    account(context, input);
    context.set(role.service_links, false, named);
    context.add_all(role.pod_labels, context.plan.labels);
    const Shape& ports = context.spec.network->ports;
    if (ports) context.set(role.ports, context.shape(ports), context.from(ports));
    if (!context.in.target->port_name.empty()) named_ports(context, role);
    state_protocols(context, role);
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
    "spec.image spec.imagePullPolicy spec.serviceAccount spec.network.ports spec.elastic "
    "spec.framework "
    "cluster.defaults.imagePullPolicy cluster.defaults.serviceAccount "
    "plan.labels plan.rendezvous plan.runtime target.containerName target.rendezvous",
    "role.containerName role.image role.imagePullPolicy role.serviceAccount role.mountToken "
    "role.serviceLinks role.podLabels role.ports",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
