#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plan/release.h"
#include "rules/able_targets.h"
#include "rules/affinity.h"
#include "rules/program_start.h"
#include "rules/role_program.h"
#include "rules/role_references.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

using Named = Entry<RoleSpec>;

/// The entries of a role, and those of the job whose keys the role does not have.
template <class T>
void add_entries(Located<Map<T>>& entries, const Located<Map<T>>& own) {
  if (!own) return;
  Map<T> all = *own;
  for (const auto& each : *entries) {
    if (find(*own, each.key) == nullptr) all.push_back(each);
  }
  std::ranges::sort(all, {}, &Entry<T>::key);
  entries = own;
  entries.value = std::move(all);
}

/// The job as a role has it: what the role says stands in place of what the job says.
JobSpec job_of(const RuleContext& context, const RoleInput& role, const RoleSpec& own) {
  JobSpec job = context.spec;
  const auto take = [&](auto member) {
    if ((own.*member).given()) job.*member = own.*member;
  };
  take(&RoleFields::image);
  take(&RoleFields::image_pull_policy);
  take(&RoleFields::framework);
  take(&RoleFields::run);
  take(&RoleFields::nodes);
  take(&RoleFields::gpus_per_node);
  take(&RoleFields::processes_per_node);
  take(&RoleFields::machine);
  take(&RoleFields::pool);
  take(&RoleFields::gpu);
  take(&RoleFields::resources);
  take(&RoleFields::env_from);
  take(&RoleFields::storage);
  take(&RoleFields::pod);
  Placement placement = context.placement_of(role);
  take(&RoleFields::placement);
  job.placement.value = std::move(placement);
  add_entries(job.env, own.env);
  add_entries(job.secret_env, own.secret_env);
  job.roles = {};
  job.parallelism = {};  // which is refused
  return job;
}

bool is_server(const RoleSpec& role) {
  return role.expose && !role.ends;
}

bool ends_job(const RoleSpec& role) {
  return role.ends && *role.ends == RoleEnd::Job;
}

/// Sets whose end is that of the job.
class Ends {
 public:
  explicit Ends(RuleContext& context) : context_(context) {
    for (const Named& role : *context.spec.roles) {
      if (ends_job(*role.value)) enders_.push_back(&role);
    }
  }

  void set() {
    const auto& roles = *context_.spec.roles;
    if (enders_.empty()) return check_all_end();
    for (const Named& role : roles) check_starts(role);
    if (enders_.size() == roles.size()) return;
    check_target();
    const OriginId origin = context_.from(enders_.front()->value->ends);
    context_.set(context_.plan.ends_early, true, origin);
    for (Role& role : context_.plan.roles) {
      const RoleSpec& own = **find(roles, role.name);
      if (ends_job(own)) context_.set(role.ends_job, true, context_.from(own.ends));
    }
  }

 private:
  void check_target() {
    const EndsWith able = context_.in.target->programs.ends;
    const bool several = enders_.size() > 1;
    const EndsWith wanted = several ? EndsWith::Several : EndsWith::One;
    if (able >= wanted) return;
    context_
        .report(DiagnosticKind::NotExpressible, enders_.back()->value->ends.span,
                "target " + code(context_.in.target->name) +
                    (several && able == EndsWith::One
                         ? " ends a job with one role, and several say `ends: job`"
                         : " ends a job with all of its roles, and not with one"))
        .note(able_targets(context_,
                           [&](const ProgramFacts& facts) { return facts.ends >= wanted; }));
  }

  /// The job ends with all of its roles.
  void check_all_end() {
    for (const Named& role : *context_.spec.roles) {
      if (!is_server(*role.value)) continue;
      context_
          .report(DiagnosticKind::ConflictingValues, role.value->expose.span,
                  "role " + code(role.key) + " is a server, and nothing says when the job ends")
          .note(
              "write `ends: job` in the role whose end is that of the job: servers are stopped "
              "then")
          .note("write `ends: role` here if this program ends by itself");
      return;
    }
  }

  /// A role whose turn comes with the end of the job never starts.
  void check_starts(const Named& role) {
    if (ends_job(*role.value)) return;
    const auto& after = *role.value->after;
    const bool late = std::ranges::all_of(enders_, [&](const Named* each) {
      const auto* state = find(after, each->key);
      return state != nullptr && **state == RoleState::Complete;
    });
    if (!late) return;
    const auto first = std::ranges::find(after, enders_.front()->key, &Entry<RoleState>::key);
    context_
        .report(DiagnosticKind::ConflictingValues, first->value.span,
                "role " + code(role.key) + " never starts: the job ends when " + code(first->key) +
                    " does")
        .also(enders_.front()->value->ends.span, "the end of the job")
        .note("write `ends: job` in " + code(role.key) + ", too");
  }

  RuleContext& context_;
  std::vector<const Named*> enders_;
};

/// Whether the target can wait until another role is that far: one that has started is ready, if it
/// has no port.
bool waits_for(const ProgramFacts& facts, RoleState state) {
  const auto word = spelling(state == RoleState::Started ? RoleState::Ready : state);
  return std::ranges::find(facts.states, word) != facts.states.end();
}

void check_state(RuleContext& context, const Entry<RoleState>& other) {
  const ProgramFacts& facts = context.in.target->programs;
  const RoleState state = *other.value;
  if (facts.states.empty() || waits_for(facts, state)) return;
  context
      .report(DiagnosticKind::NotExpressible, other.value.span,
              "target " + code(context.in.target->name) + " lets no role wait until another is " +
                  code(spelling(state)))
      .note(
          able_targets(context, [&](const ProgramFacts& able) { return waits_for(able, state); }));
}

/// How far another role is before this one starts.
void set_wait(RuleContext& context, const Named& role, const Entry<RoleState>& other, Role& out) {
  const RoleSpec& awaited = **find(*context.spec.roles, other.key);
  const RoleState state = *other.value;
  check_state(context, other);
  if (state == RoleState::Complete && is_server(awaited)) {
    context
        .report(DiagnosticKind::ConflictingValues, other.value.span,
                "role " + code(role.key) + " never starts: " + code(other.key) +
                    " is a server, which does not end by itself")
        .also(awaited.expose.span, "it serves here")
        .note("write `ready` here, or `ends: role` in " + code(other.key) + " if it does end");
  }
  if (state == RoleState::Started && awaited.expose) {
    context
        .report(DiagnosticKind::NotExpressible, other.value.span,
                "target " + code(context.in.target->name) +
                    " starts a role when the other is ready, and not before")
        .note("of role " + code(other.key) +
              " that is when its port takes connections: write "
              "`ready`");
  }
  out.waits.push_back({other.key, state == RoleState::Complete, context.from(other.value)});
}

/// What the releases of the target's operator can.
void check_waits(RuleContext& context, const Named& role) {
  const auto& after = role.value->after;
  const ProgramFacts& able = context.in.target->programs;
  const auto count = static_cast<std::int64_t>(after->size());
  if (count == 0) return;
  if (able.states.empty()) {
    context
        .report(DiagnosticKind::NotExpressible, after.span,
                "target " + code(context.in.target->name) + " starts all roles at once")
        .note(able_targets(context, [](const ProgramFacts& each) { return !each.states.empty(); }));
  }
  if (able.most_after > 0 && count > able.most_after) {
    context.report(DiagnosticKind::NotExpressible, after.span,
                   "target " + code(context.in.target->name) + " lets a role wait for at most " +
                       std::to_string(able.most_after) + " others; here are " +
                       std::to_string(count));
  }
  const std::string_view since = count > 1 ? able.several_since : able.after_since;
  const auto least = release(since);
  if (!least || !context.in.release || *context.in.release >= *least) return;
  context.report(DiagnosticKind::UnsupportedVersion, after.span,
                 std::string(count > 1 ? "a role that waits for several others"
                                       : "a role that waits for another") +
                     " needs " + code(context.in.target->op) + " " + std::string(since) +
                     " or later; the Cluster has an older one");
}

void check_groups(RuleContext& context, const Named& role) {
  const Integer& groups = role.value->groups;
  if (groups.value_or(1) == 1 || !context.in.target->programs.groups.empty()) return;
  context
      .report(DiagnosticKind::NotExpressible, groups.span,
              "target " + code(context.in.target->name) + " makes one group of pods for each role")
      .note(able_targets(context, [](const ProgramFacts& each) { return !each.groups.empty(); }));
}

/// Ranks meet once: a pod that comes back alone finds no other.
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
  const Role& pods = *std::ranges::find(context.plan.roles, role.key, &Role::name);
  if (program.framework() != "none" && *pods.part_pods > 1) {
    context
        .report(DiagnosticKind::ConflictingValues, restart.span,
                "the ranks of role " + code(role.key) +
                    " meet when they start, and one that comes back alone meets none of them")
        .note("leave out `restart`, or write `framework: none` if its pods work alone");
  }
  const Lifecycle& life = *context.spec.lifecycle;
  if (life.retries.value_or(0) > 0) return;
  context
      .report(DiagnosticKind::ConflictingValues, restart.span,
              "nothing restarts the pods of role " + code(role.key) +
                  ": the job has no `lifecycle.retries`")
      .note("write how often each pod may come back: `lifecycle: {retries: 3}`");
}

/// mpirun needs a launcher and workers, which are roles of one program.
void check_mpirun(RuleContext& context, const Named& role, const RoleProgram& program) {
  if (context.in.target->mpirun.host_file.empty()) return;  // which is refused anyway
  const auto& launcher = program.spec().run->launcher;
  if (program.framework() != "mpi" && launcher.value_or(Launcher::None) != Launcher::Mpirun) return;
  const Span own = role.value->framework.span;
  context.report(DiagnosticKind::NotExpressible, own.known() ? own : role.key_span,
                 "mpirun starts the ranks of role " + code(role.key) +
                     ", and no target does that for one of several programs");
}

/// A part of the job that is about one of its roles, and does not say which.
template <class Part>
void refuse(RuleContext& context, const Part& part, std::string_view name, std::string_view role,
            std::string_view fix) {
  if (!part) return;
  context
      .report(DiagnosticKind::NotExpressible, part.span,
              code(name) + " is about one " + std::string(role) + ", and this job has several")
      .note(std::string(fix));
}

void check_sizes(RuleContext& context, std::string_view role) {
  refuse(context, context.spec.parallelism, "parallelism", role,
         "leave it out; the options of each program say how its model is split");
  refuse(context, context.spec.elastic, "elastic", role,
         "give each role a fixed number of `nodes`");
}

void check_parts(RuleContext& context) {
  check_sizes(context, "program");
  refuse(context, context.spec.data->outputs, "data.outputs", "program",
         "let the program store its results, or mount a claim in `storage`");
}

/// Groups of workers of one program.
void check_worker_groups(RuleContext& context) {
  const auto groups = std::ranges::count_if(
      context.roles, [](const RoleInput& input) { return !input.is_coordinator; });
  if (groups > 1) check_sizes(context, "group of workers");
  // Which no group has: the references are resolved for what is said against them.
  const RoleReferences references(context);
  const auto check = [&](Run run, TextMap env) {
    references.resolve(run);
    references.resolve(env);
  };
  check(*context.spec.run, context.spec.env);
  for (const Named& role : *context.spec.roles) check(*role.value->run, role.value->env);
}

/// A `run` of a role is taken whole, and not merged with that of the job.
void check_program_of_job(RuleContext& context) {
  const auto has_own = [](const Named& role) { return role.value->run.given(); };
  if (!context.spec.run || !std::ranges::all_of(*context.spec.roles, has_own)) return;
  context.report(DiagnosticKind::NoEffect, context.spec.run.span, "`run` has no effect here")
      .note("each role has a `run` of its own, which takes its place");
}

/// Roles that the target makes for data have names, too.
void check_name_is_free(RuleContext& context, const Named& role) {
  const TargetFacts& target = *context.in.target;
  if (!context.spec.data || (role.key != target.fetching_role && role.key != target.storing_role))
    return;
  context
      .report(DiagnosticKind::NameCollision, role.key_span,
              "target " + code(target.name) + " makes a role " + code(role.key) +
                  " of its own for `data`")
      .also(context.spec.data.span, "the data");
}

void run(RuleContext& context) {
  if (!has_programs(context.spec)) return;
  label_roles(context, {});  // selectors find the pods of one role by it
  if (!are_programs(context)) return check_worker_groups(context);
  check_parts(context);
  check_program_of_job(context);
  const RoleReferences references(context);
  std::vector<std::unique_ptr<RoleProgram>> programs;
  for (std::size_t i = 0; i < context.roles.size(); ++i) {
    RoleInput& input = context.roles[i];
    const auto& roles = *context.spec.roles;
    const Named& role = *std::ranges::find(roles, input.role->name, &Named::key);
    check_name_is_free(context, role);
    check_waits(context, role);
    check_groups(context, role);
    for (const auto& other : *role.value->after) {
      if (find(roles, other.key) != nullptr) set_wait(context, role, other, *input.role);
    }
    JobSpec job = job_of(context, input, *role.value);
    references.resolve(job.run.value);
    references.resolve(job.env);
    programs.push_back(std::make_unique<RoleProgram>(context, i, *role.value, std::move(job)));
    check_restart(context, role, *programs.back());
    check_mpirun(context, role, *programs.back());
  }
  // Rules for the whole job see the fields of each program with its references resolved.
  for (std::size_t i = 0; i < programs.size(); ++i) {
    context.roles[i].own = &programs[i]->spec();
  }
  context.programs = std::move(programs);
  Ends(context).set();
}

}  // namespace

extern const Rule programs_rule{
    "programs",
    Rule::Phase::Infer,
    "Each program of a job has its own image, framework and ranks, finds the others by name, and "
    "starts and ends with them as the spec says.",
    "A learner, its rollout servers and its reward service are one job with one queue and one end, "
    "and ranks of different programs must not meet (kubernetes-sigs/jobset "
    "pkg/controllers/depends_on.go, pkg/controllers/success_policy.go).",
    "spec plan.name role.name role.replicas role.parts role.partPods target.rendezvous "
    "target.mpirun target.data target.programs target.entrypoint",
    "role.podLabels role.waits role.endsJob plan.endsEarly",
    run};

}  // namespace trainyard
