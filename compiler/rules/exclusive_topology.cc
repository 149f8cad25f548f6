#include <algorithm>
#include <string>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

/// The node label of a level: that of the pool of this name, or the key itself.
std::string_view label_of(const RoleInput& input, std::string_view level) {
  const auto found_in = [&](const TopologyLevels& levels) -> std::string_view {
    for (const auto& each : *levels) {
      if (*each->name == level) return *each->node_label;
    }
    return {};
  };
  std::string_view found;
  if (input.nodes.pool != nullptr) found = found_in((*input.nodes.pool)->topology);
  if (found.empty() && level.find('/') != std::string_view::npos) return level;
  return found;
}

void refuse(RuleContext& context, Span where, const std::string& what, std::string_view because) {
  context
      .report(DiagnosticKind::NotExpressible, where,
              "target " + code(context.in.target->name) + " cannot express " + what)
      .note(std::string(because));
}

void run(RuleContext& context) {
  const std::string_view annotation = context.in.target->exclusive_topology;
  if (annotation.empty()) return;
  RoleInput& input = context.roles.front();
  const Placement placement = context.placement_of(input);
  const auto& wanted = placement.topology;
  if (!wanted) return;
  if (!wanted->exclusive.value_or(false)) {
    context
        .report(DiagnosticKind::NotExpressible, wanted.span,
                "target " + code(context.in.target->name) +
                    " does not write yet: `topology` without `exclusive`")
        .note("the rules for topology levels are not written yet");
    return;
  }
  const OriginId origin = context.from(wanted->exclusive);
  if (context.roles.size() > 1) {
    return refuse(context, wanted->exclusive.span, "`exclusive` of a job of several roles",
                  "each of its pods would get a domain of its own");
  }
  if (wanted->mode.value_or(TopologyMode::Required) != TopologyMode::Required) {
    return refuse(context, wanted->mode.span, "`exclusive` of a preferred domain",
                  "a job that has a domain for itself waits until there is one");
  }
  if (wanted->slice) {
    return refuse(context, wanted->slice.span, "`slice` within an exclusive domain",
                  "its controller knows one level only");
  }
  const std::string_view label = label_of(input, *wanted->level);
  if (label.empty()) {
    context
        .report(DiagnosticKind::UnknownReference, wanted->level.span,
                "no pool of this job has a topology level " + code(*wanted->level))
        .note("name a level of the Cluster's `pools`, or the key of a node label");
    return;
  }
  context.add(context.plan.workload_annotations, annotation, label, origin);
}

}  // namespace

extern const Rule exclusive_topology_rule{
    "exclusive-topology",
    Rule::Phase::Infer,
    "A job that wants a domain for itself has all its pods in one, and no other such job in it.",
    "The controller of a JobSet places each Job in a domain of its own, named by a node label "
    "(kubernetes-sigs/jobset pkg/webhooks/pod_webhook.go).",
    "spec.placement.topology role.nodes plan.roles target.exclusiveTopology",
    "plan.workloadAnnotations",
    run};

}  // namespace trainyard
