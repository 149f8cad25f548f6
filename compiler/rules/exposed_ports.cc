#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// A port that takes connections shows that the server is ready. The first one in the spec's order
/// of names stands for all.
void probe(RuleContext& context, Role& role, const Entry<std::int64_t>& port) {
  Tree& tree = context.tree();
  const OriginId origin = context.because({context.from(port.value)});
  const NodeId socket = tree.add_map(origin);
  tree.append(socket, "port", tree.add_string(port.key, origin));
  const NodeId probe = tree.add_map(origin);
  tree.append(probe, "tcpSocket", socket);
  context.set(role.readiness, probe, origin);
}

/// The program's ranks meet at a port of the same pod.
void check_is_free(RuleContext& context, const Entry<std::int64_t>& port) {
  const auto& meeting = context.plan.rendezvous.port;
  if (!meeting || *meeting != *port.value) return;
  context
      .report(DiagnosticKind::ConflictingValues, port.value.span,
              "the ranks of this program meet at port " + std::to_string(*meeting))
      .note("expose another port, or name another one in `run.rendezvous.port`");
}

void run(RuleContext& context) {
  if (context.program == nullptr || context.program->expose->empty()) return;
  Role& role = *context.roles.front().role;
  Tree& tree = context.tree();
  const IntegerMap& exposed = context.program->expose;
  if (!role.ports) {
    const OriginId origin = context.from(exposed);
    context.set(role.ports, tree.add_seq(origin), origin);
  }
  for (const Entry<std::int64_t>& port : *exposed) {
    check_is_free(context, port);
    const OriginId origin = context.from(port.value);
    const NodeId entry = tree.add_map(origin);
    tree.append(entry, "name", tree.add_string(port.key, origin));
    tree.append(entry, "containerPort", tree.add_int(*port.value, origin));
    tree.append(entry, "protocol", tree.add_string("TCP", context.because({origin})));
    tree.append(*role.ports, entry);
  }
  probe(context, role, exposed->front());
}

}  // namespace

extern const Rule exposed_ports_rule{
    "exposed-ports",
    Rule::Phase::Infer,
    "A role's ports are those of its container, and the role is ready when the first of them takes "
    "connections.",
    "A role that starts after a server has to find it listening; without a probe a pod is ready as "
    "soon as its container runs (kubernetes/website "
    "content/en/docs/concepts/workloads/pods/pod-lifecycle.md).",
    "spec.roles plan.rendezvous role.ports",
    "role.ports role.readiness",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
