#include "rules/rule_context.h"

#include <algorithm>
#include <utility>

#include "rules/paths.h"
#include "rules/role_program.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

// Room that is asked for at once.
constexpr std::size_t kUsualVariables = 16;
constexpr std::size_t kUsualValues = 8;

}  // namespace

RuleContext::RuleContext(const RuleInput& input, Plan& a_plan, Origins& an_origins, Sink& a_sink)
    : in(input), spec(*input.job->spec), plan(a_plan), origins(an_origins), sink(a_sink) {}

RuleContext::~RuleContext() = default;

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

const Integer* NodeShape::gpus() const {
  if (pool != nullptr && (*pool)->gpu->count) return &(*pool)->gpu->count;
  if (machine != nullptr && machine->gpu->count) return &machine->gpu->count;
  return nullptr;
}

OriginId RuleContext::from(Span span) const {
  if (!span.known()) return kNoOrigin;
  if (in.places != nullptr && in.places->has(span.file)) return in.places->origin(origins, span);
  OriginKind kind = OriginKind::Catalogue;
  if (span.file == in.job->spec.span.file) kind = OriginKind::Spec;
  if (in.cluster != nullptr && span.file == in.cluster->spec.span.file) kind = OriginKind::Cluster;
  return origins.add(kind, span);
}

Span RuleContext::place(OriginId origin) const {
  if (origin == kNoOrigin) return {};
  if (origins[origin].span.known() && origins[origin].kind != OriginKind::Template) {
    return origins[origin].span;
  }
  for (OriginId input : origins.inputs(origin)) {
    const Span found = place(input);
    if (found.known()) return found;
  }
  return {};
}

Placement RuleContext::placement_of(const RoleInput& role) const {
  if (role.own == nullptr || !role.own->placement) return *spec.placement;
  Placement result = *role.own->placement;
  const Placement& job = *spec.placement;
  const auto inherit = [](auto& own, const auto& of_job) {
    if (!own) own = of_job;
  };
  inherit(result.one_pod_per_node, job.one_pod_per_node);
  inherit(result.topology, job.topology);
  inherit(result.spot, job.spot);
  inherit(result.affinity, job.affinity);
  inherit(result.tolerations, job.tolerations);
  inherit(result.topology_spread_constraints, job.topology_spread_constraints);
  inherit(result.zone, job.zone);
  for (const auto& label : *job.node_selector) {
    if (find(*result.node_selector, label.key) == nullptr) {
      result.node_selector.value.push_back(label);
    }
  }
  return result;
}

const Located<SecurityLevel>& RuleContext::security_level() const {
  const auto& own = spec.security->level;
  if (own || in.cluster == nullptr) return own;
  return in.cluster->spec->defaults->security->level;
}

namespace {

std::string described(const Origins& origins, OriginId id) {
  if (id == kNoOrigin) return "set here";
  const Origin& origin = origins[id];
  if (origin.kind == OriginKind::Rule) return "set by rule " + code(origin.name);
  return "given here";
}

}  // namespace

Diagnostic& RuleContext::both(DiagnosticKind kind, OriginId first, OriginId second,
                              std::string message) {
  // What the user wrote is what the user can change: not a machine of the catalogue.
  const bool only_first = in.is_spec(place(first)) && !in.is_spec(place(second));
  if (only_first) std::swap(first, second);
  Diagnostic& report = sink.report(kind, place(second), std::move(message));
  report.with_label(described(origins, second));
  report.also(place(first), described(origins, first));
  return report;
}

void RuleContext::conflict(OriginId first, OriginId second) {
  both(DiagnosticKind::ConflictingValues, first, second,
       "two parts of the input ask for different values of one field");
}

void RuleContext::add_env(Role& role, const EnvVar& variable) {
  const auto found = std::ranges::find(role.env, variable.name, &EnvVar::name);
  add_env(role, variable, found == role.env.end() ? nullptr : &*found);
}

void RuleContext::add_env(Role& role, const EnvVar& variable, NamedIndex<EnvVar>& known) {
  add_env(role, variable, known.find(variable.name));
}

void RuleContext::add_env(Role& role, const EnvVar& variable, const EnvVar* found) {
  if (found == nullptr) {
    if (role.env.empty()) {
      if (role.env.capacity() == 0) role.env.swap(plan.spare_env);
      role.env.reserve(kUsualVariables);
    }
    role.env.push_back(variable);
    return;
  }
  const bool same = found->value == variable.value && found->secret == variable.secret &&
                    found->key == variable.key && found->field_path == variable.field_path;
  if (same) return;
  Diagnostic& report =
      both(DiagnosticKind::ConflictingVariable, found->origin, variable.origin,
           "the environment variable " + code(variable.name) + " gets two different values");
  if (origins[found->origin].kind == OriginKind::Rule) {
    report.note("rule " + code(origins[found->origin].name) +
                " computes this variable; leave it out of `env`");
  }
}

void RuleContext::add(std::vector<NamedValue>& list, std::string_view name, std::string_view value,
                      OriginId origin) {
  const auto found = std::ranges::find(list, name, &NamedValue::name);
  add(list, {name, value, origin}, found == list.end() ? nullptr : &*found);
}

void RuleContext::add(std::vector<NamedValue>& list, const NamedValue& wanted,
                      NamedIndex<NamedValue>& known) {
  add(list, wanted, known.find(wanted.name));
}

void RuleContext::add(std::vector<NamedValue>& list, const NamedValue& wanted,
                      const NamedValue* found) {
  if (found == nullptr) {
    if (list.empty()) list.reserve(kUsualValues);
    list.push_back(wanted);
  } else if (found->value != wanted.value) {
    both(
        DiagnosticKind::ConflictingValues, found->origin, wanted.origin,
        code(wanted.name) + " is asked to be " + code(found->value) + " and " + code(wanted.value));
  }
}

void RuleContext::add_all(std::vector<NamedValue>& list, const TextMap& values) {
  NamedIndex<NamedValue> known(list);
  for (const auto& each : *values) add(list, {each.key, *each.value, from(each.value)}, known);
}

void RuleContext::add_all(std::vector<NamedValue>& list, const std::vector<NamedValue>& values) {
  NamedIndex<NamedValue> known(list);
  for (const NamedValue& each : values) add(list, each, known);
}

void RuleContext::add_volume(Role& role, std::string_view name, std::string_view key, NodeId source,
                             OriginId origin) {
  for (const Volume& known : role.volumes) {
    if (known.name == name) return volume_conflict(known, origin);
  }
  const NodeId volume = tree().add_map(origin);
  tree().append(volume, "name", tree().add_string(name, origin));
  tree().append(volume, key, source);
  role.volumes.push_back({name, volume, origin});
}

void RuleContext::volume_conflict(const Volume& known, OriginId origin) {
  const auto computed = [&](OriginId id) { return origins[id].kind == OriginKind::Rule; };
  const bool ours_is_second = computed(origin);
  const OriginId ours = ours_is_second ? origin : known.origin;
  Diagnostic& report =
      both(DiagnosticKind::ConflictingValues, ours, ours_is_second ? known.origin : origin,
           "two volumes are called " + code(known.name));
  if (!computed(ours)) return;
  report.note("rule " + code(origins[ours].name) +
              " makes a volume of this name; choose another one in `storage`");
}

void RuleContext::add_mount(Role& role, const VolumeMount& mount) {
  if (goes_up(mount.path)) {
    sink.report(DiagnosticKind::ConflictingMounts, place(mount.origin),
                code(mount.path) + " goes up by `..`; expected the path where that leads to");
    return;
  }
  const std::string path = plain_path(mount.path);
  for (const VolumeMount& known : role.mounts) {
    if (plain_path(known.path) != path) continue;
    both(DiagnosticKind::ConflictingMounts, known.origin, mount.origin,
         "two volumes are mounted at " + code(path));
    return;
  }
  role.mounts.push_back(mount);
}

const RoleSpec* RuleContext::program_spec(const Role& role) const {
  const auto* found = programs.empty() ? nullptr : trainyard::find(*spec.roles, role.name);
  return found == nullptr ? nullptr : &**found;
}

bool RuleContext::has_role(std::string_view name) const {
  return std::any_of(plan.roles.begin(), plan.roles.end(),
                     [name](const Role& role) { return role.name == name; });
}

bool RuleContext::spans_nodes(const RoleInput& role) const {
  return programs.empty() ? *plan.multi_node : *role.role->part_pods > 1;
}

bool RuleContext::injects(std::string_view variable) const {
  if (in.target->injected.empty()) return false;
  // What a controller does for a framework, it does not do for one of several programs.
  JobTraits job{program == nullptr ? *plan.framework : "", spec.elastic.given()};
  for (const Role& role : plan.roles) job.roles.push_back(role.name);
  return in.target->injects(job, variable);
}

std::string_view RuleContext::number(std::int64_t value) {
  return plan.tree.intern(NumberText(value).view());
}

const Tree& RuleContext::tree_of(Span span) const {
  const bool cluster = in.cluster != nullptr && in.cluster_tree != nullptr &&
                       span.file == in.cluster->spec.span.file;
  if (cluster) return *in.cluster_tree;
  const Tree* catalogue = in.machines == nullptr ? nullptr : in.machines->tree(span.file);
  if (catalogue == nullptr && in.fabrics != nullptr) catalogue = in.fabrics->tree(span.file);
  return catalogue != nullptr ? *catalogue : *in.job_tree;
}

NodeId RuleContext::shape(const Tree& from_tree, NodeId id) {
  const Node& source = from_tree[id];
  const NodeId copy = tree().add(source.kind, source.text, from(source.span));
  for (NodeId child : from_tree.children(id)) {
    const NodeId value = shape(from_tree, child);
    tree().append(copy, from_tree[child].key, value);
  }
  return copy;
}

Span RuleContext::machine_place(const RoleInput& input) const {
  if (const Text& machine = of(input, &RoleFields::machine)) return machine.span;
  if (const Text& pool = of(input, &RoleFields::pool)) return pool.span;
  return input.nodes.pool == nullptr ? Span() : (*input.nodes.pool)->machine.span;
}

NodeId RuleContext::shape(const Shape& part) {
  return shape(tree_of(part.span), part.node);
}

std::vector<Fragment> RuleContext::shapes(const Shape& list) {
  std::vector<Fragment> result;
  if (!list.given()) return result;
  const Tree& source = tree_of(list.span);
  for (NodeId item : source.children(list.node)) {
    const NodeId copy = shape(source, item);
    result.push_back({copy, tree()[copy].origin, true});
  }
  return result;
}

}  // namespace trainyard
