#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plan/release.h"
#include "rules/able_targets.h"
#include "rules/affinity.h"
#include "rules/meant_role.h"
#include "rules/program_life.h"
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

template <class Group, class... Fields>
void inherit(Located<Group>& group, const Located<Group>& job, Fields Group::*... fields) {
  if (!group) group = job;
  const auto from_job = [&](auto field) {
    if (!(group.value.*field)) group.value.*field = (*job).*field;
  };
  (from_job(fields), ...);
}

/// What a role does not say of its lifecycle is the job's. Of the failures that count, it says all
/// or nothing.
Located<Lifecycle> lifecycle_of(const RoleSpec& role, const Located<Lifecycle>& job) {
  Located<Lifecycle> result = role.lifecycle;
  const bool own_failures = result->retry_on || result->pod_failure_policy;
  inherit(result, job, &Lifecycle::retries, &Lifecycle::deadline, &Lifecycle::ttl,
          &Lifecycle::grace_period, &Lifecycle::checkpoint, &Lifecycle::suspend);
  if (!own_failures) {
    inherit(result, job, &Lifecycle::retry_on, &Lifecycle::pod_failure_policy);
  }
  return result;
}

Located<NetworkRequest> network_of(const RoleSpec& role, const Located<NetworkRequest>& job) {
  Located<NetworkRequest> result = role.network;
  inherit(result, job, &NetworkRequest::fabric, &NetworkRequest::interface,
          &NetworkRequest::host_network, &NetworkRequest::ports, &NetworkRequest::isolate,
          &NetworkRequest::allow);
  return result;
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
  take(&RoleFields::files);
  job.elastic = own.elastic;
  job.lifecycle = lifecycle_of(own, context.spec.lifecycle);
  job.network = network_of(own, context.spec.network);
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
  if (state == RoleState::Complete && !awaited.critical.value_or(true)) {
    context
        .report(DiagnosticKind::ConflictingValues, other.value.span,
                "role " + code(role.key) + " may never start: " + code(other.key) +
                    " may fail without an end of the job")
        .also(awaited.critical.span, "it is not critical")
        .note("leave out `critical: false` there, or wait for `ready`");
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

/// mpirun needs a launcher and workers, which are roles of one program.
void check_mpirun(RuleContext& context, const Named& role, const RoleProgram& program) {
  if (context.in.target->mpirun.host_file.empty()) return;  // which is refused anyway
  if (meant_role(role)) return;                             // so is a role that is misspelt
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
  check_roles_of_one(context);
  // Which no group has: the references are resolved for the errors in them.
  const RoleReferences references(context);
  const auto check = [&](Run run, TextMap env) {
    references.resolve(run);
    references.resolve(env);
  };
  check(*context.spec.run, context.spec.env);
  for (const Named& role : *context.spec.roles) check(*role.value->run, role.value->env);
}

/// Some groups of a role are taken whole, and not merged with those of the job.
void check_is_of_use(RuleContext& context) {
  const auto check = [&](auto group, std::string_view name) {
    const auto has_own = [&](const Named& role) { return ((*role.value).*group).given(); };
    const auto& job = context.spec.*group;
    if (!job || !std::ranges::all_of(*context.spec.roles, has_own)) return;
    context.report(DiagnosticKind::NoEffect, job.span, code(name) + " has no effect here")
        .note("each role has a " + code(name) + " of its own, which takes its place");
  };
  check(&RoleFields::run, "run");
  check(&RoleFields::files, "files");
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
  if (!has_programs(context.spec)) return check_roles_of_one(context);
  label_roles(context, {});  // selectors find the pods of one role by it
  if (!are_programs(context)) return check_worker_groups(context);
  check_parts(context);
  check_is_of_use(context);
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
    check_life(context, role, *programs.back());
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
