#include <algorithm>
#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMaxRestarts = 3;

std::string nodes(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

/// The nodes that the job starts with.
std::int64_t first_nodes(const RuleContext& context) {
  std::int64_t result = 0;
  for (const Role& role : context.plan.roles) {
    if (role.trains) result += *role.replicas;
  }
  return result;
}

/// The job starts with `nodes`, and stays between the two.
void check_range(RuleContext& context, const Elastic& wanted) {
  const std::int64_t first = first_nodes(context);
  const std::int64_t least = *wanted.min_nodes;
  const std::int64_t most = *wanted.max_nodes;
  if (most < least) {
    context
        .report(DiagnosticKind::ConflictingValues, wanted.max_nodes.span,
                "`maxNodes` is " + std::to_string(most) + ", below `minNodes`, " +
                    std::to_string(least))
        .also(wanted.min_nodes.span, "`minNodes`");
  } else if (first < least || first > most) {
    const Integer& bound = first < least ? wanted.min_nodes : wanted.max_nodes;
    context
        .report(DiagnosticKind::ConflictingValues, bound.span,
                "the job starts with " + nodes(first) + ", " +
                    (first < least ? "fewer than `minNodes`, " : "more than `maxNodes`, ") +
                    std::to_string(*bound))
        .also(context.place(context.plan.roles.back().replicas.origin), "nodes of the job")
        .note("give `nodes` a number between both");
  }
}

/// The autoscaler of Ray makes and deletes workers; the head is there once and for all, and has no
/// part in their number (ray-project/kuberay ray-operator/controllers/ray/common/pod.go).
void check_ray(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    if (!input.is_coordinator || !input.role->trains) continue;
    context
        .report(DiagnosticKind::ConflictingValues, context.spec.elastic.span,
                "the nodes of an elastic job are all alike, and the head of this one works, too")
        .also(context.spec.roles.span, "its roles")
        .note("leave the GPUs of `roles.head` out");
  }
}

/// Only torchrun, on equal nodes, starts its processes anew when a node comes or goes.
void check_start(RuleContext& context) {
  const Span where = context.spec.elastic.span;
  if (context.plan.roles.size() > 1 && !context.spec.roles->empty()) {
    context
        .report(DiagnosticKind::ConflictingValues, where,
                "the nodes of an elastic job are all alike, and this job has several roles")
        .also(context.spec.roles.span, "its roles");
    return;
  }
  const RoleInput& input = context.roles.front();
  if (!reads_torchrun_variables(context, input)) {
    context
        .report(DiagnosticKind::ConflictingValues, where,
                "an elastic job is started by torchrun, and this one is not")
        .note("leave out `run.launcher` for a script of PyTorch");
    return;
  }
  const auto& backend = context.of(input, &RoleFields::run)->rendezvous->backend;
  if (!backend || *backend == RendezvousBackend::C10d) return;
  context
      .report(DiagnosticKind::ConflictingValues, backend.span,
              "a static rendezvous waits for a fixed number of nodes, and this job is elastic")
      .also(where, "elastic");
}

/// Whether the target's list of what it cannot carry has refused it already.
bool is_refused(const TargetFacts& target) {
  const auto is_elastic = [](const Inexpressible& row) { return row.field == "spec.elastic"; };
  return std::ranges::any_of(target.cannot, is_elastic) ||
         std::ranges::any_of(target.not_yet, is_elastic);
}

void run(RuleContext& context) {
  const auto& wanted = context.spec.elastic;
  if (!wanted.given() || !wanted->min_nodes || !wanted->max_nodes) return;
  if (is_refused(*context.in.target)) return;
  check_range(context, *wanted);
  ElasticPlan& plan = context.plan.elastic;
  context.set(plan.min_nodes, *wanted->min_nodes, context.from(wanted->min_nodes));
  context.set(plan.max_nodes, *wanted->max_nodes, context.from(wanted->max_nodes));
  if (framework_of(context) == Framework::Ray) return check_ray(context);
  check_start(context);
  const Integer& restarts = wanted->max_restarts;
  context.set(plan.max_restarts, restarts.value_or(kMaxRestarts),
              restarts ? context.from(restarts) : context.by_default("spec.elastic.maxRestarts"));
}

}  // namespace

extern const Rule elastic_rule{
    "elastic",
    Rule::Phase::Infer,
    "An elastic job has a range of nodes that holds the number it starts with, and is started by "
    "torchrun with ranks given out as nodes join, or on workers that Ray adds and takes away.",
    "A static rendezvous waits for a fixed number of nodes with ranks known beforehand "
    "(pytorch/pytorch torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py).",
    "spec.elastic spec.run spec.framework spec.roles role.name role.trains role.replicas "
    "target.cannot target.notYet",
    "plan.elastic",
    run};

}  // namespace trainyard
