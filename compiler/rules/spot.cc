#include "rules/spot.h"

#include <algorithm>
#include <string>

#include "rules/affinity.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/tolerated_taints.h"

namespace trainyard {
namespace {

bool is_spot(const Pool& pool) {
  return pool.capacity.value_or(CapacityKind::OnDemand) == CapacityKind::Spot;
}

/// How the cloud of the role's machine marks its spot nodes, the usual way first; empty when it is
/// unknown.
std::vector<const MachineCapacity*> spot_marks(const RuleContext& context, const RoleInput& input) {
  std::vector<const MachineCapacity*> result;
  if (input.nodes.machine == nullptr) return result;
  const MachineSpec* cloud = context.in.machines->catalogue(input.nodes.machine->name.span.file);
  if (cloud == nullptr) return result;
  for (const auto& each : *cloud->capacity) {
    if (*each->kind == CapacityKind::Spot) result.push_back(&*each);
  }
  return result;
}

void refuse_pool(RuleContext& context, const Located<SpotUse>& wanted, const Pool& pool) {
  const std::string how = "the nodes of pool " + code(*pool.name) + " are ";
  Diagnostic& report = context.report(
      DiagnosticKind::ConflictingValues, wanted.span,
      *wanted == SpotUse::Forbid
          ? "spot nodes are forbidden, and " + how + "spot nodes"
          : "spot nodes are required, and the Cluster does not say that " + how + "spot nodes");
  report.also(pool.capacity ? pool.capacity.span : pool.name.span,
              pool.capacity ? "how they are bought" : "the pool");
  if (!pool.capacity) report.note("a pool of spot nodes says `capacity: spot`");
}

/// Nodes with any of the marks; where pods have no place for affinity, with those that are usual.
void require_any(RuleContext& context, const RoleInput& input, const Located<SpotUse>& wanted,
                 const std::vector<const MachineCapacity*>& ways) {
  Role& role = *input.role;
  const TargetFacts& target = *context.in.target;
  std::vector<NodeMark> marks;
  for (const MachineCapacity* way : ways) {
    for (const auto& label : *way->labels) marks.push_back({label.key, *label.value});
  }
  const bool has_affinity =
      target.pod_template && !context.plan.runtime.exists &&
      std::ranges::find(target.lacking, "role.affinity") == target.lacking.end();
  if (ways.size() > 1 && has_affinity) {
    const auto& labels = ways.front()->labels;
    return require_any_of_nodes(context, role, marks,
                                context.because({context.from(wanted), context.from(labels.span)}));
  }
  for (const auto& label : *ways.front()->labels) {
    context.add(role.node_selector, label.key, *label.value,
                context.because({context.from(wanted), context.from(label.value)}));
  }
}

/// Nodes that are known by the machine alone, or not at all.
void by_marks(RuleContext& context, const RoleInput& input, const Located<SpotUse>& wanted) {
  Role& role = *input.role;
  const std::vector<const MachineCapacity*> marks = spot_marks(context, input);
  if (marks.empty()) {
    // Machines that are not a cloud's are not taken away.
    if (input.nodes.machine != nullptr && *wanted != SpotUse::Require) return;
    context
        .report(DiagnosticKind::MissingFact, wanted.span,
                input.nodes.machine == nullptr
                    ? std::string("it is not stated which nodes are spot nodes")
                    : "no spot nodes are known of machine " + code(*input.nodes.machine->name))
        .note(
            "name a `machine` of a cloud that has them, or a `pool` of the Cluster with "
            "`capacity`");
    return;
  }
  if (*wanted == SpotUse::Require) require_any(context, input, wanted, marks);
  for (const MachineCapacity* each : marks) {
    if (*wanted != SpotUse::Forbid) {
      tolerate_all(context, role, each->taints);
      continue;
    }
    for (const auto& label : *each->labels) {
      require_of_nodes(context, role, label.key, "NotIn", *label.value,
                       context.because({context.from(wanted), context.from(label.value)}));
    }
  }
}

/// Pods that may land on any pool of their machine have to bear what its spot nodes have.
void tolerate_spot_pools(RuleContext& context, const RoleInput& input) {
  if (context.in.cluster == nullptr || input.nodes.machine == nullptr) return;
  for (const auto& pool : *context.in.cluster->spec->pools) {
    if (is_spot(*pool) && has_machine(*pool, *input.nodes.machine)) {
      tolerate_all(context, *input.role, pool->taints);
    }
  }
}

/// A pool of the role's machine, where no pool of that machine suits; null where one does.
const Pool* unsuited(const RuleContext& context, const RoleInput& input) {
  const Pool* first = nullptr;
  if (context.in.cluster == nullptr || input.nodes.machine == nullptr) return nullptr;
  for (const auto& pool : *context.in.cluster->spec->pools) {
    if (!has_machine(*pool, *input.nodes.machine)) continue;
    if (suits_spot(context, input, *pool)) return nullptr;
    if (first == nullptr) first = &*pool;
  }
  return first;
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Located<SpotUse> wanted = context.placement_of(input).spot;
    if (!wanted) continue;
    const Pool* pool = input.nodes.pool == nullptr ? nullptr : &**input.nodes.pool;
    const Pool* refused = pool == nullptr ? unsuited(context, input) : pool;
    if (refused != nullptr && !suits_spot(context, input, *refused)) {
      refuse_pool(context, wanted, *refused);
    } else if (pool == nullptr || (!pool->labels && !is_spot(*pool))) {
      by_marks(context, input, wanted);  // else the pool's own labels say which nodes they are
      if (*wanted == SpotUse::Allow && pool == nullptr) tolerate_spot_pools(context, input);
    }
  }
}

}  // namespace

bool suits_spot(const RuleContext& context, const RoleInput& input, const Pool& pool) {
  const Located<SpotUse> wanted = context.placement_of(input).spot;
  if (!wanted || *wanted == SpotUse::Allow) return true;
  return is_spot(pool) == (*wanted == SpotUse::Require);
}

extern const Rule spot_rule{
    "spot",
    Rule::Phase::Infer,
    "Pods land on nodes that the cloud takes away again where the job wants or allows that, and "
    "nowhere else.",
    "Clouds mark such nodes with labels and taints of their own, some with a label alone "
    "(templates/machines), so that a pod without a word of it may land there.",
    "spec.placement role.nodes role.nodeSelector role.tolerations role.affinity cluster.pools "
    "plan.runtime target.pod target.lacking "
    "machine "
    "machine.taints",
    "role.nodeSelector role.tolerations role.affinity",
    run};

}  // namespace trainyard
