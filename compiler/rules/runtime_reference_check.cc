#include <string>
#include <vector>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void refuse(RuleContext& context, const std::string& what, OriginId because) {
  Diagnostic& report = context.report(DiagnosticKind::NotExpressible, context.spec.runtime.span,
                                      "target " + code(context.in.target->name) + " cannot give " +
                                          what + " to a runtime that exists");
  if (const Span place = context.place(because); place.known())
    report.also(place, "asked for here");
  report.note("leave `runtime` out, and one is made for the job");
}

void run(RuleContext& context) {
  if (!context.plan.runtime.exists) return;
  for (const Role& role : context.plan.roles) {
    const auto none_of = [&](const std::vector<Fragment>& list, const std::string& what) {
      if (!list.empty()) refuse(context, what, list.front().origin);
    };
    none_of(role.init_containers, "containers that run before the program");
    none_of(role.sidecars, "containers beside that of the program");
    none_of(role.resource_claims, "claims of devices");
    const bool host = role.host_network && *role.host_network;
    if (host) refuse(context, "the network of the node", role.host_network.origin);
  }
}

}  // namespace

extern const Rule runtime_reference_check_rule{
    "runtime-reference-check",
    Rule::Phase::Check,
    "What a fabric or the Cluster adds to the pods comes out with a runtime that exists, or is "
    "refused.",
    "A TrainJob patches few fields of the pods that a runtime describes (kubeflow/trainer "
    "pkg/apis/trainer/v1alpha1/trainjob_types.go PodSpecPatch, ContainerPatch).",
    "spec.runtime plan.runtime role.initContainers role.sidecars role.resourceClaims "
    "role.hostNetwork",
    "",
    run};

}  // namespace trainyard
