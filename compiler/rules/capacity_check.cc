#include <string>

#include "capacity/fit.h"
#include "capacity/queue_bounds.h"
#include "rules/capacity.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

Span place_of(const RuleContext& context, const Fit& fit) {
  for (const Role& role : context.plan.roles) {
    if (role.name != fit.role) continue;
    for (const OriginId origin : {role.replicas.origin, role.gpus.origin}) {
      const Span place = context.place(origin);
      if (place.known()) return place;
    }
  }
  return context.in.job->spec.span;
}

/// Roles that are bound to several pools never meet in one domain.
void note_pools(const RuleContext& context, Diagnostic& report) {
  const auto& topology = context.spec.placement->topology;
  const RoleInput& first = context.roles.front();
  for (const RoleInput& each : context.roles) {
    const auto* one = first.nodes.pool;
    const auto* other = each.nodes.pool;
    if (!topology->level || one == nullptr || other == nullptr || one == other) continue;
    report
        .note("one domain of " + code(*topology->level) + " has to hold all roles, and " +
              code(first.role->name) + " runs in pool " + code(*(*one)->name) + ", " +
              code(each.role->name) + " in pool " + code(*(*other)->name))
        .note("name one pool for both, or write `placement.topology` in each role");
    return;
  }
}

void report(RuleContext& context, const Fit& fit, Span where) {
  Diagnostic& report = context.report(DiagnosticKind::ExceedsPool, where, fit.obstacle);
  for (const PoolVerdict& pool : fit.pools) report.also(pool.place, pool.why);
  note_pools(context, report);
  report.note("the job would stay Pending for ever; what other jobs use is not counted here");
}

void run(RuleContext& context) {
  // What is wrong with the request itself has been said.
  if (context.in.cluster == nullptr || context.sink.has_errors()) return;
  std::vector<NodeGroup> nodes = cluster_nodes(context);
  close_pools(nodes, context.plan, *context.in.cluster);
  const std::vector<Beside> beside =
      requested_beside(context.spec, *context.in.job_tree, context.plan);
  const Fit fit =
      place_gang(context.plan, topology_requirement_of(*context.spec.placement), nodes, {}, beside);
  if (!fit.fits) report(context, fit, place_of(context, fit));
  const Fit queue = fits_queue(context.plan, *context.in.cluster, {}, beside);
  if (!queue.fits) report(context, queue, context.place(context.plan.queue.origin));
}

}  // namespace

extern const Rule capacity_check_rule{
    "capacity-check",
    Rule::Phase::Check,
    "All pods of the job fit the Cluster's pools at once, counted node by node, and its queue.",
    "A sum over the cluster passes a job whose pods fit no single node; a pod that never fits "
    "stays Pending without an error.",
    "spec.placement spec.pod role.containerName cluster.pools cluster.queues.name "
    "cluster.queues.quota cluster.queues.limit "
    "cluster.queues.parent cluster.queues.pools cluster.queues.clusterQueue cluster.gpu.resource "
    "cluster.gpu.migStrategy cluster.gpu.sharing "
    "machine role.requests role.replicas "
    "role.nodeSelector role.tolerations role.affinity role.podLabels role.priorityClass plan.queue "
    "plan.system cluster.priorityClasses.name cluster.priorityClasses.value",
    "",
    run};

}  // namespace trainyard
