#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"
#include "spec/port_probe.h"

namespace trainyard {
namespace {

/// Whether the first of several pods serves for all: their ranks meet, or only it has an address.
bool serves_by_first(const RuleContext& context, const Role& role) {
  if (*role.part_pods < 2) return false;
  return context.program->groups || *context.plan.framework != "none";
}

/// A port that takes connections shows that the server is ready. The first one in the spec's order
/// of names stands for all.
void probe(RuleContext& context, Role& role, const Entry<std::int64_t>& port) {
  Tree& tree = context.tree();
  const OriginId origin = context.because({context.from(port.value)});
  const NodeId probe = tree.add_map(origin);
  const NodeId how = tree.add_map(origin);
  if (serves_by_first(context, role)) {
    const NodeId command = tree.add_seq(origin);
    for (std::string_view word : {"sh", "-c"}) tree.append(command, tree.add_string(word, origin));
    const std::string_view script = tree.intern(first_pod_listens(*port.value));
    tree.append(command, tree.add_string(script, origin));
    tree.append(how, "command", command);
    tree.append(probe, "exec", how);
  } else {
    tree.append(how, "port", tree.add_string(port.key, origin));
    tree.append(probe, "tcpSocket", how);
  }
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
    "connections; of ranks that meet, when it does in the first pod.",
    "A role that starts after a server has to find it listening; without a probe a pod is ready as "
    "soon as its container runs (kubernetes/website "
    "content/en/docs/concepts/workloads/pods/pod-lifecycle.md).",
    "spec.roles plan.framework plan.rendezvous role.partPods role.ports",
    "role.ports role.readiness",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
