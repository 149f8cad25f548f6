#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "diag/suggest.h"
#include "rules/host_names.h"
#include "rules/meant_role.h"
#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "source/characters.h"

namespace trainyard {
namespace {

using Named = Entry<RoleSpec>;

class Order {
 public:
  explicit Order(RuleContext& context) : context_(context), roles_(*context.spec.roles) {}

  std::vector<const Named*> make() {
    const std::size_t errors = context_.sink.error_count();
    for (const Named& role : roles_) {
      for (const auto& other : *role.value->after) check_is_there(other);
    }
    if (context_.sink.error_count() == errors) {
      for (const Named& role : roles_) add(role);
    }
    if (context_.sink.error_count() == errors) return done_;
    std::vector<const Named*> all;
    for (const Named& role : roles_) all.push_back(&role);
    return all;
  }

 private:
  const Named* find(std::string_view name) const {
    const auto found = std::ranges::find(roles_, name, &Named::key);
    return found == roles_.end() ? nullptr : &*found;
  }

  void check_is_there(const Entry<RoleState>& other) {
    if (find(other.key) != nullptr) return;
    std::vector<std::string_view> names;
    for (const Named& role : roles_) names.push_back(role.key);
    Diagnostic& report = context_.report(DiagnosticKind::UnknownReference, other.key_span,
                                         "the job has no role " + code(other.key));
    if (const auto near = suggest(other.key, names)) {
      report.fix(other.key_span, std::string(*near), "did you mean " + code(*near) + "?");
    }
  }

  /// Adds a role below those that it waits for. The depth is that of `after`, at most the number of
  /// roles.
  void add(const Named& role) {
    if (std::ranges::find(done_, &role) != done_.end()) return;
    open_.push_back(&role);
    for (const auto& other : *role.value->after) {
      const Named* next = find(other.key);
      const auto met = std::ranges::find(open_, next);
      if (met != open_.end()) {
        circle({met, open_.end()}, other);
        break;
      }
      add(*next);
    }
    open_.pop_back();
    done_.push_back(&role);
  }

  void circle(const std::vector<const Named*>& roles, const Entry<RoleState>& closing) {
    if (circle_told_) return;
    circle_told_ = true;
    Diagnostic& report = context_.report(
        DiagnosticKind::ConflictingValues, closing.key_span,
        "role " + code(roles.front()->key) + " waits for itself, and would never start");
    std::string chain = code(roles.front()->key) + " starts after ";
    for (std::size_t i = 1; i < roles.size(); ++i) {
      chain += code(roles[i]->key) + ", that after ";
    }
    if (roles.size() > 1) report.note(chain + code(roles.front()->key));
  }

  RuleContext& context_;
  const Map<RoleSpec>& roles_;
  std::vector<const Named*> open_;  // those whose waits are being followed
  std::vector<const Named*> done_;
  bool circle_told_ = false;
};

/// The programs of a job, each below those that it starts after, else by name. Reports a role that
/// waits for itself or for one that is not there; the result then has all of them by name.
std::vector<const Entry<RoleSpec>*> start_order(RuleContext& context) {
  return Order(context).make();
}

/// Where every role says how many nodes it has, the job's own number can only repeat the sum.
void check_sum(RuleContext& context, std::int64_t pods) {
  const Integer& nodes = context.spec.nodes;
  const auto& named = *context.spec.roles;
  if (!nodes || named.empty() || *nodes == pods) return;
  for (const auto& role : named) {
    if (!role.value->nodes) return;
  }
  context
      .report(DiagnosticKind::ConflictingValues, nodes.span,
              "the job has " + std::to_string(*nodes) + (*nodes == 1 ? " node" : " nodes") +
                  ", its roles " + std::to_string(pods))
      .also(named.front().value->nodes.span, "nodes of the first role")
      .fix(nodes.span, std::to_string(pods), "write the sum, or leave `nodes` out");
}

/// A role that starts the others is a node itself when it asks for what a node works with.
bool works(const RoleFields& coordinator) {
  return coordinator.gpus_per_node.value_or(0) > 0 || coordinator.processes_per_node.given();
}

/// A role of the plan, before its fields are read.
struct RolePlan {
  std::string_view name;
  const RoleFields* own = nullptr;
  std::int64_t replicas = 1;
  OriginId counted = kNoOrigin;
  bool trains = true;
  std::int64_t groups = 1;  // of so many replicas
};

/// There is one pod that starts the others.
void check_coordinator(RuleContext& context, std::string_view name, const Integer& nodes) {
  if (!nodes || *nodes == 1) return;
  context
      .report(DiagnosticKind::OutOfRange, nodes.span,
              std::to_string(*nodes) + " nodes of role " + code(name) + "; expected 1")
      .note("this role starts the processes of all the others");
}

/// The nodes of a job that names no role for them.
void add_even(const RuleContext& context, const RoleShape& shape, std::int64_t nodes,
              OriginId origin, std::vector<RolePlan>& result) {
  if (nodes <= 0) return;  // the one that starts them is the only node
  for (const RoleCount& part : shape.split(nodes, context.spec.elastic.given())) {
    result.push_back({part.name, nullptr, part.pods, origin});
  }
}

/// Those that have ranks stand in front, in their order; what starts the others stays first.
void put_in_order(std::vector<RolePlan>& roles, const RoleShape& shape) {
  if (roles.size() < 2) return;
  const auto place = [&](const RolePlan& role) -> std::ptrdiff_t {
    if (role.name == shape.coordinator) return -1;
    return std::ranges::find(shape.ranked, role.name) - shape.ranked.begin();
  };
  std::ranges::stable_sort(roles, {}, place);
}

/// As long as a job's name is at least.
constexpr std::int64_t kLeastName = 8;

bool may_be_in_host(std::string_view name) {
  const auto fits = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return !name.empty() && is_lower(name.front()) && name.back() != '-' &&
         std::ranges::all_of(name, fits);
}

/// A name of the author's own is a part of host names.
void check_own_name(RuleContext& context, const Entry<RoleSpec>& role, std::int64_t pods) {
  const bool is_typo = meant_role(role).has_value();
  if (!may_be_in_host(role.key) && !is_typo) {
    context
        .report(DiagnosticKind::BadName, role.key_span,
                code(role.key) + " cannot be the name of a role: it is a part of host names")
        .note("start with a letter; go on with lower-case letters, digits and `-`");
    return;
  }
  const RoleCount count{role.key, pods, role.value->groups.value_or(1)};
  const std::int64_t of_run = static_cast<std::int64_t>(kUnnamedRun.size()) + 1;
  const std::int64_t left = context.in.target->longest_name({&count, 1}, true) - of_run;
  if (left >= kLeastName) return;
  const std::int64_t most = static_cast<std::int64_t>(role.key.size()) - (kLeastName - left);
  context
      .report(DiagnosticKind::BadName, role.key_span,
              code(role.key) + " is too long for the name of a role; expected at most " +
                  std::to_string(most) + " characters")
      .note("the names of its pods have the name of the job in front, and at most " +
            std::to_string(context.in.target->name_limit) + " characters in all");
}

std::vector<RolePlan> wanted_roles(RuleContext& context, const RoleShape& shape) {
  const auto& named = *context.spec.roles;
  const Integer& all_nodes = context.spec.nodes;
  const OriginId even = all_nodes ? context.from(all_nodes) : context.by_default("spec.nodes");
  std::vector<RolePlan> result;
  std::int64_t working_coordinators = 0;
  bool only_coordinator = true;
  for (const auto& entry : named) {
    const Integer& own = entry.value->nodes;
    const bool is_coordinator = entry.key == shape.coordinator;
    const std::int64_t otherwise = is_coordinator ? 1 : all_nodes.value_or(1);
    const bool trains = !is_coordinator || works(*entry.value);
    if (is_coordinator) {
      check_coordinator(context, entry.key, own);
      working_coordinators += trains ? 1 : 0;
    } else {
      only_coordinator = false;
    }
    const std::int64_t pods = own.value_or(otherwise);
    if (names_program(entry.key)) check_own_name(context, entry, pods);
    result.push_back({entry.key, &*entry.value, pods, own ? context.from(own) : even, trains});
  }
  if (only_coordinator) {
    add_even(context, shape, all_nodes.value_or(1) - working_coordinators, even, result);
  }
  const bool has_coordinator = std::any_of(result.begin(), result.end(), [&](const RolePlan& role) {
    return role.name == shape.coordinator;
  });
  if (!shape.coordinator.empty() && !has_coordinator) {
    result.insert(result.begin(), {shape.coordinator, nullptr, 1, context.because({}), false});
  }
  put_in_order(result, shape);
  return result;
}

/// Each role is a program of its own, with as many nodes as it says, or as the job says for all.
std::vector<RolePlan> programs(RuleContext& context) {
  const Integer& all_nodes = context.spec.nodes;
  const OriginId even = all_nodes ? context.from(all_nodes) : context.by_default("spec.nodes");
  std::vector<RolePlan> result;
  for (const Entry<RoleSpec>* role : start_order(context)) {
    const Integer& own = role->value->nodes;
    const std::int64_t pods = own.value_or(all_nodes.value_or(1));
    check_own_name(context, *role, pods);
    result.push_back({role->key, &*role->value, pods, own ? context.from(own) : even, true,
                      role->value->groups.value_or(1)});
  }
  return result;
}

/// The first of these that the job has.
Role* first_of(Plan& plan, const std::vector<std::string_view>& names) {
  for (std::string_view name : names) {
    const auto found = std::ranges::find(plan.roles, name, &Role::name);
    if (found != plan.roles.end()) return &*found;
  }
  return nullptr;
}

/// Where ranks count over all roles, each pod of a job of several is made alone, so that its number
/// among the parts is its rank. The groups of a program are its parts.
void divide(RuleContext& context, const std::vector<RolePlan>& wanted) {
  Plan& plan = context.plan;
  const bool alone = numbers_several_roles(context);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Role& role = plan.roles[i];
    const OriginId origin = context.because({role.replicas.origin});
    const std::int64_t parts = alone ? *role.replicas : wanted[i].groups;
    context.set(role.parts, parts, origin);
    context.set(role.part_pods, *role.replicas / parts, origin);
  }
}

/// With which roles the job ends, where it is not with all, and for which the others wait.
void order_of_life(RuleContext& context, const RoleShape& shape) {
  Plan& plan = context.plan;
  if (plan.roles.size() < 2) return;
  const Role* const last = first_of(plan, shape.ends);
  const auto ends = [&](const Role& role) {
    return last != nullptr ? &role == last : role.first_rank.is_set;
  };
  if (!std::ranges::all_of(plan.roles, ends) && std::ranges::any_of(plan.roles, ends)) {
    context.set(plan.ends_early, true, context.because({plan.roles.back().replicas.origin}));
    for (Role& role : plan.roles) {
      if (ends(role)) context.set(role.ends_job, true, context.because({role.replicas.origin}));
    }
  }
  const Role* const leader = first_of(plan, shape.leads);
  if (leader == nullptr) return;
  context.set(plan.in_order, true, context.because({leader->replicas.origin}));
  for (Role& role : plan.roles) {
    if (&role == leader) continue;
    context.set(role.waits_for, leader->name, context.because({leader->replicas.origin}));
  }
}

/// The ranks of each program count from 0.
void number_programs(RuleContext& context) {
  Plan& plan = context.plan;
  for (Role& role : plan.roles) {
    context.set(role.first_rank, std::int64_t{0}, context.because({role.replicas.origin}));
  }
  context.set(plan.programs, true, context.because({plan.roles.front().replicas.origin}));
}

/// Ranks follow the order that the system gives to roles; a role that it does not know has none.
void number(RuleContext& context, const RoleShape& shape) {
  std::int64_t next = 0;
  const auto give = [&](Role& role) {
    if (!role.trains) return;
    context.set(role.first_rank, next, context.because({role.replicas.origin}));
    next += *role.replicas;
  };
  if (shape.ranked.empty()) {
    for (Role& role : context.plan.roles) give(role);
  }
  for (std::string_view name : shape.ranked) {
    for (Role& role : context.plan.roles) {
      if (role.name == name) give(role);
    }
  }
}

void run(RuleContext& context) {
  Plan& plan = context.plan;
  const bool several = are_programs(context);
  // Of several programs each has its own.
  if (!several) {
    const auto& framework = context.spec.framework;
    context.set(plan.framework, spelling(framework_of(context)),
                framework ? context.from(framework) : context.by_default("spec.framework"));
  }
  const RoleShape& shape = shape_of(context);
  const std::vector<RolePlan> wanted = several ? programs(context) : wanted_roles(context, shape);
  // The roles stay where they are from here on: the context points at them.
  plan.roles.resize(wanted.size());
  std::int64_t training_pods = 0;
  std::int64_t pods = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Role& role = plan.roles[i];
    role.name = wanted[i].name;
    role.trains = wanted[i].trains;
    context.set(role.replicas, wanted[i].replicas * wanted[i].groups, wanted[i].counted);
    pods += *role.replicas;
    if (role.trains) training_pods += *role.replicas;
    RoleInput input;
    input.role = &role;
    input.own = wanted[i].own;
    input.is_coordinator = !several && role.name == shape.coordinator;
    context.roles.push_back(input);
  }
  const OriginId counted = context.because({plan.roles.back().replicas.origin});
  if (!context.spec.roles->empty() || !shape.coordinator.empty()) {
    context.set(plan.uneven, true, counted);
  }
  context.set(plan.pods, pods, counted);
  const bool may_grow = context.spec.elastic->max_nodes.value_or(1) > 1;
  context.set(plan.multi_node, training_pods > 1 || may_grow, counted);
  if (several) {
    number_programs(context);
  } else {
    number(context, shape);
    order_of_life(context, shape);
  }
  divide(context, wanted);
  check_sum(context, training_pods);
}

}  // namespace

extern const Rule roles_rule{
    "roles",
    Rule::Phase::Infer,
    "Every group of equal pods is a role with a fixed number of pods.",
    "`nodes` counts pods, one for each node; without `roles` they are "
    "split as the system knows them: workers, or a master and workers, "
    "or nodes with a launcher that trains nothing. A role with a name of its own is a program of "
    "its own, or a group of workers where a job has one program.",
    "spec.nodes spec.roles spec.elastic spec.framework spec.run target.roles target.rendezvous "
    "target.programs target.entrypoint",
    "plan.framework plan.roles role.name role.trains role.replicas role.firstRank "
    "role.parts role.partPods role.endsJob role.waitsFor plan.multiNode plan.inOrder "
    "plan.endsEarly plan.uneven plan.pods plan.programs",
    run};

}  // namespace trainyard
