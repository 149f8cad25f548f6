#include <string>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

std::string expanded(std::string_view pattern, std::string_view job) {
  constexpr std::string_view kJob = "{job}";
  std::string result(pattern);
  for (std::size_t at = result.find(kJob); at != std::string::npos; at = result.find(kJob, at)) {
    result.replace(at, kJob.size(), job);
    at += job.size();
  }
  return result;
}

const Integer& wanted_port(const RuleContext& context) {
  return context.of(context.roles[0], &RoleFields::run)->rendezvous->port;
}

void run(RuleContext& context) {
  Plan& plan = context.plan;
  const TargetFacts& target = *context.in.target;
  if (!*plan.multi_node || target.master_host.empty()) return;

  RendezvousPlan& meeting = plan.rendezvous;
  const OriginId origin = context.because({plan.name.origin, plan.multi_node.origin});
  context.set(meeting.service, *plan.name, origin);
  context.set(meeting.master, context.text(expanded(target.master_host, *plan.name)), origin);
  context.set(meeting.rank_field, target.rank_field, origin);
  const Integer& port = wanted_port(context);
  context.set(meeting.port, port.value_or(target.master_port),
              port ? context.from(port) : context.by_default("spec.run.rendezvous.port"));
  context.set(meeting.nodes, *plan.roles[0].replicas, plan.roles[0].replicas.origin);
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
    "plan.name plan.multiNode role.replicas spec.run.rendezvous target.rendezvous",
    "plan.rendezvous role.subdomain",
    run};

}  // namespace trainyard
