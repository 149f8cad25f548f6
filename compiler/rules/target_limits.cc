#include <string>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

/// The node at a dotted path of the job's document, or kNoNode.
NodeId node_at(const Tree& tree, std::string_view path) {
  NodeId node = tree.root();
  while (!path.empty() && node != kNoNode) {
    const std::size_t dot = path.find('.');
    node = tree.find(node, path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return node;
}

bool applies(const Inexpressible& limit, const Tree& tree, NodeId node) {
  return node != kNoNode && (limit.value.empty() || tree[node].text == limit.value);
}

bool can(const TargetFacts& target, const Inexpressible& limit) {
  for (const Inexpressible& other : target.cannot) {
    const bool same_field = other.field == limit.field || limit.field.starts_with(other.field);
    if (same_field && (other.value.empty() || other.value == limit.value)) return false;
  }
  return true;
}

std::string those_which_can(const RuleContext& context, const Inexpressible& limit) {
  std::string available;
  std::string planned;
  for (const TargetFacts* target : context.in.targets) {
    if (!can(*target, limit)) continue;
    std::string& list = target->available ? available : planned;
    list += (list.empty() ? "" : ", ") + code(target->name);
  }
  if (available.empty() && planned.empty()) return "no target can express this";
  if (available.empty()) return "these targets will, once they are available: " + planned;
  return "targets that can: " + available + (planned.empty() ? "" : "; planned: " + planned);
}

void run(RuleContext& context) {
  const TargetFacts& target = *context.in.target;
  const Tree& tree = *context.in.job_tree;
  for (const Inexpressible& limit : target.cannot) {
    const NodeId node = node_at(tree, limit.field);
    if (!applies(limit, tree, node)) continue;
    const std::string what =
        limit.value.empty() ? code(limit.field) : code(limit.field) + " " + code(limit.value);
    context
        .report(DiagnosticKind::NotExpressible,
                tree[node].is_scalar() ? tree[node].span : tree[node].key_span,
                "target " + code(target.name) + " cannot express " + what)
        .note(std::string(limit.because))
        .note(those_which_can(context, limit));
  }
}

}  // namespace

extern const Rule target_limits_rule{
    "target-limits",
    Rule::Phase::Check,
    "What the chosen target cannot express is an error that names the targets which can.",
    "Each target's `target.yaml` lists what its system has no field for.",
    "spec target.cannot",
    "",
    run};

}  // namespace trainyard
