#include "rules/role_program.h"

#include <algorithm>
#include <utility>

#include "rules/program_start.h"

namespace trainyard {
namespace {

TrainingJob with_spec(TrainingJob job, JobSpec spec) {
  job.spec.value = std::move(spec);
  return job;
}

/// The files of a role are its own, or those of the job.
std::span<const LoadedFile> files_of(std::span<const LoadedFile> all, const Role& role,
                                     const RoleSpec& own) {
  const auto found =
      std::ranges::equal_range(all, own.files ? role.name : "", {}, &LoadedFile::role);
  return {found.begin(), found.end()};
}

RuleInput with_job(RuleInput input, const TrainingJob& job, const Role& role, const RoleSpec& own) {
  input.job = &job;
  input.files = files_of(input.files, role, own);
  return input;
}

}  // namespace

RoleProgram::RoleProgram(RuleContext& whole, std::size_t number, const RoleSpec& own, JobSpec spec)
    : whole_(whole),
      number_(number),
      job_(with_spec(*whole.in.job, std::move(spec))),
      in_(with_job(whole.in, job_, whole.plan.roles[number], own)),
      roles_(1),
      context_(in_, whole.plan, whole.origins, whole.sink) {
  RoleInput input = whole.roles[number];
  input.role = &roles_.front();
  input.own = nullptr;
  context_.roles.push_back(input);
  context_.program = &own;
  context_.rule = whole.rule;
  const auto& framework = job_.spec->framework;
  context_.set(framework_, spelling(framework_of(context_)),
               framework ? context_.from(framework) : context_.by_default("spec.framework"));
  const auto& pods = whole.plan.roles[number].part_pods;
  context_.set(multi_node_, *pods > 1, context_.because({pods.origin}));
}

void RoleProgram::swap_fields() {
  Plan& plan = whole_.plan;
  std::swap(plan.framework, framework_);
  std::swap(plan.multi_node, multi_node_);
  std::swap(plan.processes, processes_);
  std::swap(plan.rendezvous, rendezvous_);
}

void RoleProgram::run(const Rule& rule) {
  std::vector<Role>& roles = whole_.plan.roles;
  // Pointers to the role of the job and to that of the program stay good: its content moves.
  std::swap(roles[number_], roles_.front());
  std::swap(roles, roles_);
  swap_fields();
  context_.roles.front().nodes = whole_.roles[number_].nodes;
  context_.rule = rule.name;
  auto& replicas = roles.front().replicas.value;
  const std::int64_t all = std::exchange(replicas, *roles.front().part_pods);
  rule.run(context_);
  replicas = all;
  swap_fields();
  std::swap(roles, roles_);
  std::swap(roles[number_], roles_.front());
}

}  // namespace trainyard
