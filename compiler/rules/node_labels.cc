#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void refuse(RuleContext& context, const NamedValue& label, bool by_user) {
  const TargetFacts& target = *context.in.target;
  const std::string name = code(std::string(label.name) + ": " + std::string(label.value));
  Diagnostic& report =
      context.report(DiagnosticKind::NotExpressible, context.place(label.origin),
                     "target " + code(target.name) + " cannot express the node label " + name);
  report.note("nodes are chosen by " + code(target.pool_label) + " and " + code(target.type_label) +
              " only");
  if (by_user) return;
  report.note(
      "give the pool of the Cluster the label " + code(target.pool_label) +
      ", or write it under `placement.nodeSelector`, or name it in `runai.nodePools`; its other "
      "labels are then implied");
}

/// Whether the job itself asks for the label, and not just for a machine or pool that has it.
bool is_asked_for(const RuleContext& context, const NamedValue& label) {
  return context.in.is_spec(context.place(label.origin));
}

void select(RuleContext& context, RoleInput& input) {
  const TargetFacts& target = *context.in.target;
  Role& role = *input.role;
  for (const NamedValue& label : role.node_selector) {
    if (label.name == target.pool_label) context.set(role.node_pools, label.value, label.origin);
    if (label.name == target.type_label) context.set(role.node_type, label.value, label.origin);
  }
  const RunaiRequest& runai = *context.spec.runai;
  const bool is_chosen = role.node_pools || role.node_type || runai.node_pools || runai.node_pool;
  for (const NamedValue& label : role.node_selector) {
    if (label.name == target.pool_label || label.name == target.type_label) continue;
    const bool by_user = is_asked_for(context, label);
    // A pool that is chosen by its name has its other labels anyway. One error says enough.
    if (by_user || !is_chosen) return refuse(context, label, by_user);
  }
}

void run(RuleContext& context) {
  if (context.in.target->pool_label.empty()) return;
  for (RoleInput& input : context.roles) select(context, input);
}

}  // namespace

extern const Rule node_labels_rule{
    "node-labels",
    Rule::Phase::Infer,
    "Where nodes are chosen by the names of pools and types, these come from the labels behind "
    "them.",
    "A Run:ai workload has no node selector: `nodePools` stands for the label `runai/node-pool` "
    "and "
    "`nodeType` for `run.ai/type` (run-ai/docs docs/developer/cluster-api/reference/training.md).",
    "role.nodeSelector spec.placement spec.gpu.product spec.runai target.nodes",
    "role.nodePools role.nodeType",
    run};

}  // namespace trainyard
