#include <algorithm>
#include <string>

#include "rules/host_names.h"
#include "rules/host_ports.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

const Integer& wanted_port(const RuleContext& context) {
  return context.of(first_ranked(context), &RoleFields::run)->rendezvous->port;
}

/// Whether the controller takes no other port than its own.
bool is_port_fixed(const TargetFacts& target) {
  return std::ranges::find(target.cannot, "spec.run.rendezvous.port", &Inexpressible::field) !=
         target.cannot.end();
}

/// As the spec says it, else that of the target; the ports of a node are shared with other jobs.
void set_port(RuleContext& context, const RoleInput& first) {
  auto& port = context.plan.rendezvous.port;
  const Integer& wanted = wanted_port(context);
  if (wanted) return context.set(port, *wanted, context.from(wanted));
  const Flag* host = host_network_of(context, first);
  if (host != nullptr && !is_port_fixed(*context.in.target)) {
    return context.set(port, host_port_of(context, HostPort::Rendezvous),
                       context.because({context.from(*host), context.plan.name.origin}));
  }
  context.set(port, context.in.target->master_port, context.by_default("spec.run.rendezvous.port"));
}

std::string master_of(const RuleContext& context, const RoleInput& first) {
  const TargetFacts& target = *context.in.target;
  if (context.program != nullptr) return host_of(context, *first.role, 0);
  std::string_view form = target.master_host;
  if (started_by_mpirun(context) && !target.mpirun_host.empty()) form = target.mpirun_host;
  if (first.is_coordinator && !target.coordinator_host.empty()) form = target.coordinator_host;
  return expanded(expanded(form, "{job}", *context.plan.name), "{role}", first.role->name);
}

/// The Service of a program has the name that stands behind the first dot of its hosts.
void set_service_of_program(RuleContext& context) {
  if (context.program == nullptr || !context.in.target->own_service) return;
  Role& role = *context.roles.front().role;
  if (!*context.plan.multi_node && !context.program->expose) return;
  const std::string host = host_of(context, role, 0);
  const OriginId origin = context.because({context.plan.name.origin});
  const std::string_view service = context.text(host.substr(host.find('.') + 1));
  context.set(role.subdomain, service, origin);
  context.set(role.service, service, origin);
}

void run(RuleContext& context) {
  Plan& plan = context.plan;
  const TargetFacts& target = *context.in.target;
  set_service_of_program(context);
  if (!*plan.multi_node) return;

  RendezvousPlan& meeting = plan.rendezvous;
  std::int64_t nodes = 0;
  for (const Role& role : plan.roles) {
    if (role.first_rank) nodes += *role.replicas;
  }
  context.set(meeting.nodes, nodes, plan.roles.back().replicas.origin);
  if (target.master_host.empty()) return;
  const OriginId origin = context.because({plan.name.origin, plan.multi_node.origin});
  constexpr std::size_t kLongestLabel = 63;
  const RoleInput& first = first_ranked(context);
  const std::string host = master_of(context, first);
  context.set(meeting.role, first.role->name, origin);
  context.set(meeting.master, context.text(host), origin);
  const bool is_known = !target.master_is_told && *first.role->parts == 1;
  context.set(meeting.label_fits, host.size() <= kLongestLabel && is_known, origin);
  if (target.master_is_told) context.set(meeting.master_is_told, true, origin);
  const std::string_view field =
      numbers_several_roles(context) ? target.rank_field_of_several_roles : target.rank_field;
  const auto injected = std::ranges::find_if(
      target.rank_variables, [&](std::string_view name) { return context.injects(name); });
  if (injected != target.rank_variables.end()) {
    context.set(meeting.rank_variable, *injected, origin);
  } else if (!field.empty()) {
    context.set(meeting.rank_field, field, origin);
  }
  set_port(context, first);
  if (!target.own_service || context.program != nullptr) return;
  context.set(meeting.service, *plan.name, origin);
  for (Role& role : plan.roles) context.set(role.subdomain, *plan.name, origin);
}

}  // namespace

extern const Rule rendezvous_rule{
    "rendezvous",
    Rule::Phase::Infer,
    "Pods of a job on several nodes find each other by name before any of them is ready.",
    "A pod has a DNS record only with a `subdomain` and a headless Service of that name, and while "
    "it is not ready only with `publishNotReadyAddresses` (kubernetes/kubernetes "
    "pkg/controller/job/indexed_job_utils.go).",
    "plan.name plan.namespace plan.multiNode plan.framework role.name role.replicas role.parts "
    "role.firstRank "
    "role.gpus role.nodes spec.roles spec.run.rendezvous spec.network spec.gpu spec.resources "
    "spec.elastic "
    "cluster.network.fabrics cluster.pools.network cluster.kubernetes machine fabric "
    "target.rendezvous target.injects target.mpirun target.roles target.cannot target.programs",
    "plan.rendezvous role.subdomain role.service",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
