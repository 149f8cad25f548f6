#include "rules/program_life.h"

#include <algorithm>
#include <string>

#include "rules/able_targets.h"

namespace trainyard {
namespace {

using Named = Entry<RoleSpec>;

/// A field of the job that only some targets have for each role.
struct OwnField {
  std::string_view name;
  Span (*place)(const RoleSpec&);
  bool of_failures = false;  // says which failures the role survives
};
constexpr OwnField kOwnFields[] = {
    {"elastic", [](const RoleSpec& role) { return role.elastic.span; }},
    {"lifecycle.retries", [](const RoleSpec& role) { return role.lifecycle->retries.span; }, true},
    {"lifecycle.retryOn", [](const RoleSpec& role) { return role.lifecycle->retry_on.span; }, true},
    {"lifecycle.podFailurePolicy",
     [](const RoleSpec& role) { return role.lifecycle->pod_failure_policy.span; }, true},
    {"lifecycle.deadline", [](const RoleSpec& role) { return role.lifecycle->deadline.span; },
     true},
    {"lifecycle.ttl", [](const RoleSpec& role) { return role.lifecycle->ttl.span; }},
    {"lifecycle.suspend", [](const RoleSpec& role) { return role.lifecycle->suspend.span; }},
};

bool has_own(const ProgramFacts& facts, std::string_view field) {
  return std::ranges::find(facts.own, field) != facts.own.end();
}

/// The target's own list of what it cannot carry says so already.
bool is_told(const RuleContext& context, std::string_view field) {
  return std::ranges::any_of(context.in.target->cannot, [&](const Inexpressible& row) {
    const bool is_it = row.field.substr(row.field.find('.') + 1) == field && row.value.empty();
    return is_it && row.releases.holds(context.in.release);
  });
}

void check_own_fields(RuleContext& context, const Named& role) {
  const TargetFacts& target = *context.in.target;
  for (const OwnField& field : kOwnFields) {
    const Span place = field.place(*role.value);
    if (!place.known() || has_own(target.programs, field.name)) continue;
    if (is_told(context, field.name)) continue;
    context
        .report(DiagnosticKind::NotExpressible, place,
                "target " + code(target.name) + " has no " + code(field.name) + " of one role")
        .note(able_targets(context,
                           [&](const ProgramFacts& each) { return has_own(each, field.name); }));
  }
}

/// A count of its own is for pods that come back alone.
void check_retries(RuleContext& context, const Named& role) {
  const Integer& retries = role.value->lifecycle->retries;
  const ProgramFacts& able = context.in.target->programs;
  const auto& restart = role.value->restart;
  const bool alone = restart && *restart == RoleRestart::Alone;
  if (!retries || alone || !able.restarts_all || !has_own(able, "lifecycle.retries")) return;
  context
      .report(DiagnosticKind::ConflictingValues, retries.span,
              "all roles start again together, as often as `lifecycle.retries` of the job says")
      .note("write `restart: alone`, so that each pod of role " + code(role.key) +
            " comes back that often, or leave out `retries` here");
}

/// Ranks meet once: a pod that comes back alone finds no other.
void check_ranks(RuleContext& context, const Named& role, const RoleProgram& program, Span place,
                 std::string_view field) {
  const Role& pods = *std::ranges::find(context.plan.roles, role.key, &Role::name);
  if (program.framework() == "none" || *pods.part_pods <= 1) return;
  context
      .report(DiagnosticKind::ConflictingValues, place,
              "the ranks of role " + code(role.key) +
                  " meet when they start, and one that comes back alone meets none of them")
      .note("leave out " + code(field) + ", or write `framework: none` if its pods work alone");
}

void check_restart(RuleContext& context, const Named& role, const RoleProgram& program) {
  const auto& restart = role.value->restart;
  if (!restart) return;
  const ProgramFacts& able = context.in.target->programs;
  const bool alone = *restart == RoleRestart::Alone;
  if (!(alone ? able.restarts_alone : able.restarts_all)) {
    context
        .report(DiagnosticKind::NotExpressible, restart.span,
                "target " + code(context.in.target->name) +
                    (alone ? " restarts no role alone" : " restarts each role alone"))
        .note(able_targets(context, [&](const ProgramFacts& each) {
          return alone ? each.restarts_alone : each.restarts_all;
        }));
  }
  if (!alone) return;
  check_ranks(context, role, program, restart.span, "restart");
  if (!role.value->critical.value_or(true)) return;  // its pods come back in any case
  if (program.spec().lifecycle->retries.value_or(0) > 0) return;
  context
      .report(DiagnosticKind::ConflictingValues, restart.span,
              "nothing restarts the pods of role " + code(role.key) +
                  ": the job has no `lifecycle.retries`")
      .note("write how often each pod may come back: `lifecycle: {retries: 3}`");
}

/// What a role that may fail cannot say, too.
void check_contradictions(RuleContext& context, const Named& role) {
  const Flag& critical = role.value->critical;
  const ProgramFacts& able = context.in.target->programs;
  const auto against = [&](Span place, const std::string& what) {
    context.report(DiagnosticKind::ConflictingValues, place, what)
        .also(critical.span, "the job goes on if the role fails");
  };
  if (role.value->ends && *role.value->ends == RoleEnd::Job) {
    against(role.value->ends.span,
            "the job ends with role " + code(role.key) + ", so it cannot go on without it");
  }
  const auto& restart = role.value->restart;
  if (restart && *restart == RoleRestart::WithJob) {
    against(restart.span, "a failure of role " + code(role.key) + " starts the job again");
  }
  if (restart && *restart == RoleRestart::Alone && able.restarts_all &&
      able.expendable == Expendable::StaysFailed) {
    against(restart.span, "target " + code(context.in.target->name) +
                              " counts each restart of a pod as one of the job");
  }
  if (able.expendable != Expendable::ComesBack) return;
  for (const OwnField& field : kOwnFields) {
    const Span place = field.place(*role.value);
    if (!field.of_failures || !place.known()) continue;
    against(place, "the pods of role " + code(role.key) +
                       " come back as often as they fail, whatever " + code(field.name) + " says");
  }
}

/// Whether a job ends although a role of it does not.
bool has_end(const RuleContext& context) {
  return std::ranges::any_of(*context.spec.roles, [](const Named& role) {
    return role.value->ends && *role.value->ends == RoleEnd::Job;
  });
}

void check_critical(RuleContext& context, const Named& role, const RoleProgram& program) {
  const Flag& critical = role.value->critical;
  if (!critical) return;
  const ProgramFacts& able = context.in.target->programs;
  const std::string target = "target " + code(context.in.target->name);
  if (*critical) {
    if (able.ends_on_failure) return;
    context
        .report(DiagnosticKind::NotExpressible, critical.span,
                target + " stops no role when another has failed")
        .note(able_targets(context, [](const ProgramFacts& each) { return each.ends_on_failure; }));
    return;
  }
  if (able.expendable == Expendable::None) {
    context
        .report(DiagnosticKind::NotExpressible, critical.span,
                target + " ends the job when any role fails")
        .note(able_targets(
            context, [](const ProgramFacts& each) { return each.expendable != Expendable::None; }));
    return;
  }
  check_contradictions(context, role);
  if (able.expendable == Expendable::ComesBack) {
    check_ranks(context, role, program, critical.span, "critical");
  }
  if (able.ends == EndsWith::All || has_end(context)) return;
  context
      .report(DiagnosticKind::ConflictingValues, critical.span,
              "the job waits for the end of all roles, and role " + code(role.key) +
                  " may never end well")
      .note("write `ends: job` in the role whose end is that of the job");
}

}  // namespace

void check_life(RuleContext& context, const Named& role, const RoleProgram& program) {
  check_own_fields(context, role);
  check_retries(context, role);
  check_restart(context, role, program);
  check_critical(context, role, program);
}

void check_roles_of_one(RuleContext& context) {
  for (const Named& role : *context.spec.roles) {
    const auto refuse = [&](const auto& field, std::string_view name) {
      if (!field) return;
      context
          .report(DiagnosticKind::NotExpressible, field.span,
                  "role " + code(role.key) + " is a part of one program, and all of it has the " +
                      code("spec." + std::string(name)) + " of the job")
          .note("roles are programs if one of them has a name of its own, or `framework`");
    };
    refuse(role.value->files, "files");
    refuse(role.value->elastic, "elastic");
    refuse(role.value->lifecycle, "lifecycle");
    refuse(role.value->network, "network");
    if (role.value->critical) {
      context
          .report(DiagnosticKind::NotExpressible, role.value->critical.span,
                  "role " + code(role.key) + " is a part of one program, which ends as a whole")
          .note(able_targets(context, [](const ProgramFacts& each) {
            return each.expendable != Expendable::None;
          }));
    }
  }
}

}  // namespace trainyard
