#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "diag/suggest.h"
#include "rules/able_targets.h"
#include "rules/meant_role.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Calls `use` with the nodes at a dotted path; `[]` stands for any item of a list, `*` for any key
/// of a map.
template <class Use>
void each_at(const Tree& tree, NodeId node, std::string_view path, const Use& use) {
  while (node != kNoNode && !path.empty()) {
    const std::size_t dot = path.find('.');
    std::string_view key = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    const bool each_item = key.ends_with("[]");
    if (each_item) key.remove_suffix(2);
    const bool each_entry = key == "*";
    if (!each_entry) node = tree.find(node, key);
    if (!each_item && !each_entry) continue;
    for (NodeId child : tree.children(node)) each_at(tree, child, path, use);
    return;
  }
  if (node != kNoNode) use(node);
}

bool applies(const Inexpressible& limit, const Node& node) {
  if (limit.above) return as_int64(node).value_or(0) > *limit.above;
  if (limit.value.ends_with('*')) {
    return node.text.starts_with(limit.value.substr(0, limit.value.size() - 1));
  }
  return limit.value.empty() || node.text == limit.value;
}

/// Whether a row of another target forbids the same thing.
bool forbids(const Inexpressible& row, const Inexpressible& limit) {
  const std::string_view below =
      limit.field.starts_with(row.field) ? limit.field.substr(row.field.size()) : "";
  const bool same_field =
      row.field == limit.field || below.starts_with('.') || below.starts_with('[');
  if (!same_field) return false;
  return (row.value.empty() || row.value == limit.value) &&
         (!row.above || row.above == limit.above);
}

bool can(const TargetFacts& target, const Inexpressible& limit) {
  // A training and what serves its model are not made by the same target.
  if (target.serves != limit.field.starts_with("spec.serve.")) return false;
  if (limit.field == "spec.scheduling.system" && !limit.value.empty() && limit.value != "none") {
    const bool queues = target.queueing_by(limit.value) != nullptr;
    if (!queues && target.project_system != limit.value) return false;
  }
  for (const Inexpressible& row : target.cannot) {
    if (forbids(row, limit)) return false;
  }
  for (const Inexpressible& row : target.not_yet) {
    if (forbids(row, limit)) return false;
  }
  return true;
}

/// The parts of a job in which fields of `spec` stand: a role may say for itself what the job says
/// for all.
std::vector<NodeId> specifications(const Tree& tree) {
  std::vector<NodeId> result{tree.find(tree.root(), "spec")};
  const NodeId roles = tree.find(result.front(), "roles");
  for (NodeId role : tree.children(roles)) result.push_back(role);
  return result;
}

constexpr std::string_view kCluster = "cluster.";
constexpr std::string_view kSpec = "spec.";

/// A glance, before the field is looked for.
bool may_have(const Tree& tree, NodeId spec, const Inexpressible& limit) {
  return spec != kNoNode && (tree[spec].keys & limit.first_key) != 0;
}

std::string those_which_can(const RuleContext& context, const Inexpressible& limit) {
  std::string available;
  std::string planned;
  const std::string_view later = limit.releases.before;
  for (const TargetFacts* target : context.in.targets->all_targets()) {
    if (are_programs(context) && !target->programs.able) continue;
    const bool another_release = target->name == context.in.target->name && !later.empty();
    if (!another_release && !can(*target, limit)) continue;
    std::string& list = target->available ? available : planned;
    list += (list.empty() ? "" : ", ") + code(target->name);
    if (another_release) list += " of " + code(target->op) + " " + std::string(later) + " or later";
  }
  if (available.empty() && planned.empty()) return "no target can express this";
  if (available.empty()) return "targets that can, none of them available yet: " + planned;
  return "targets that can: " + available + (planned.empty() ? "" : "; planned: " + planned);
}

std::string described(const Inexpressible& limit) {
  if (limit.above) return code(limit.field) + " above " + std::to_string(*limit.above);
  if (!limit.value.empty()) return code(limit.field) + " " + code(limit.value);
  return code(limit.field);
}

/// A list of limits, and how what they forbid is refused.
struct Refusal {
  std::string_view verb;
  bool others = true;  // whether to say which targets can
};

void refuse(RuleContext& context, const Node& node, const Inexpressible& limit,
            const Refusal& refusal) {
  if (!applies(limit, node)) return;
  const bool by_value = node.is_scalar() || !node.key_span.known();
  Diagnostic& report =
      context.report(DiagnosticKind::NotExpressible, by_value ? node.span : node.key_span,
                     "target " + code(context.in.target->name) + " " + std::string(refusal.verb) +
                         " " + described(limit));
  report.note(std::string(limit.because));
  if (refusal.others && !limit.field.starts_with(kCluster)) {
    report.note(those_which_can(context, limit));
  }
}

void check(RuleContext& context, const std::vector<NodeId>& specs, const Inexpressible& limit,
           const Refusal& refusal) {
  const auto check_at = [&](const Tree& tree, NodeId node, std::string_view path) {
    if (!limit.releases.holds(context.in.release)) return;
    each_at(tree, node, path, [&](NodeId found) { refuse(context, tree[found], limit, refusal); });
  };
  if (limit.field.starts_with(kCluster)) {
    // What the Cluster says and would change the job.
    if (context.in.cluster == nullptr) return;
    const Tree& tree = *context.in.cluster_tree;
    return check_at(tree, tree.find(tree.root(), "spec"), limit.field.substr(kCluster.size()));
  }
  const Tree& tree = *context.in.job_tree;
  // A program may have the name of a role that the target does not know.
  if (limit.field.starts_with("spec.roles.") && has_programs(context.spec)) return;
  for (NodeId spec : specs) {
    if (may_have(tree, spec, limit)) check_at(tree, spec, limit.field.substr(kSpec.size()));
  }
}

/// Whether typos alone make the roles programs of their own.
bool are_typos(const Map<RoleSpec>& roles) {
  return std::ranges::all_of(roles, [](const Entry<RoleSpec>& role) {
    const bool is_program = names_program(role.key) || field_of_program(*role.value).known();
    return !is_program || meant_role(role);
  });
}

void report_typos(RuleContext& context) {
  for (const Entry<RoleSpec>& role : *context.spec.roles) {
    const auto meant = meant_role(role);
    if (!meant) continue;
    context.report(DiagnosticKind::UnknownField, role.key_span, "unknown role " + code(role.key))
        .fix(role.key_span, std::string(*meant), "did you mean " + code(*meant) + "?")
        .note("a program of its own has another name, or says `ends: role`");
  }
}

/// Ray's own amounts have names, too (ray-project/ray python/ray/_private/resource_spec.py).
constexpr std::string_view kReservedResource = "memory";

/// The target's jobs have one program, whose actors ask for the groups of workers by name.
void check_worker_groups(RuleContext& context) {
  for (const Entry<RoleSpec>& role : *context.spec.roles) {
    const bool named = names_program(role.key);
    const Span field = field_of_program(*role.value);
    const Span own = field.known() || !named ? field : role.value->run.span;
    if (own.known()) {
      context
          .report(DiagnosticKind::NotExpressible, own,
                  "target " + code(context.in.target->name) +
                      " has one program, and this makes role " + code(role.key) +
                      " a program of its own")
          .note("leave it out: the program of the job runs on the head" +
                (named ? ", and places its actors on the nodes of a role by " +
                             code("resources={\"" + std::string(role.key) + "\": 1}")
                       : std::string()))
          .note(able_targets(context, [](const ProgramFacts&) { return true; }));
    }
    if (role.key != kReservedResource) continue;
    context
        .report(DiagnosticKind::BadName, role.key_span,
                code(role.key) + " cannot be the name of a group of workers: Ray has a resource " +
                    "of this name")
        .note("choose another name, such as `" + std::string(role.key) + "-workers`");
  }
}

/// Roles that are programs of their own.
void check_programs(RuleContext& context) {
  if (!has_programs(context.spec)) return;
  const auto& roles = *context.spec.roles;
  if (are_typos(roles)) return report_typos(context);
  if (context.in.target->entrypoint) return check_worker_groups(context);
  if (context.in.target->programs.able) return;
  const auto role = std::ranges::find_if(roles, [](const Entry<RoleSpec>& each) {
    return names_program(each.key) || field_of_program(*each.value).known();
  });
  const Span place = names_program(role->key) ? role->key_span : field_of_program(*role->value);
  context
      .report(DiagnosticKind::NotExpressible, place,
              "target " + code(context.in.target->name) +
                  " makes no job of several programs, and role " + code(role->key) + " is one")
      .note(able_targets(context, [](const ProgramFacts&) { return true; }));
}

void run(RuleContext& context) {
  check_programs(context);
  const std::vector<NodeId> specs = specifications(*context.in.job_tree);
  for (const Inexpressible& limit : context.in.target->cannot) {
    check(context, specs, limit, {"cannot express"});
  }
  for (const Inexpressible& limit : context.in.target->not_yet) {
    check(context, specs, limit, {"does not write yet:"});
  }
  if (!context.spec.runtime) return;
  for (const Inexpressible& limit : context.in.target->cannot_by_reference) {
    check(context, specs, limit, {"cannot express, with a runtime that exists,", false});
  }
}

}  // namespace

extern const Rule target_limits_rule{
    "target-limits",
    Rule::Phase::Check,
    "What the chosen target cannot express is an error that names the targets which can.",
    "Each target's `target.yaml` lists what its system has no field for.",
    "spec cluster.policies cluster.defaults.scheduling cluster.operators target.cannot "
    "target.notYet target.queueing target.project target.entrypoint "
    "target.cannotByReference spec.runtime",
    "",
    run};

}  // namespace trainyard
