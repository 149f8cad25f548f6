#include "rules/program_start.h"

#include <algorithm>

namespace trainyard {

Framework framework_of(const RuleContext& context) {
  if (context.spec.framework) return *context.spec.framework;
  const auto known = words(Framework{});
  const auto found = std::ranges::find(known, context.in.target->default_framework);
  if (found == known.end()) return Framework::Pytorch;
  return static_cast<Framework>(found - known.begin());
}

ProgramForm program_form(const Run& run) {
  if (run.command) return ProgramForm::Command;
  if (run.script) return ProgramForm::Script;
  if (run.module) return ProgramForm::Module;
  if (run.shell) return ProgramForm::Shell;
  return ProgramForm::ImageDefault;
}

Launcher launcher_of(const RuleContext& context, const RoleInput& input) {
  const Run& run = *context.of(input, &RoleFields::run);
  if (run.launcher) return *run.launcher;
  const ProgramForm form = program_form(run);
  if (form != ProgramForm::Script && form != ProgramForm::Module) return Launcher::None;
  switch (framework_of(context)) {
    case Framework::Pytorch:
    case Framework::Nemo:
      return Launcher::Torchrun;
    case Framework::Mpi:
      return Launcher::Mpirun;
    default:
      return Launcher::None;
  }
}

namespace {

/// Whether the spec asks for mpirun, also by the role that runs it.
bool asks_for_mpirun(const RuleContext& context) {
  const auto is_mpirun = [](const Run& run) {
    return run.launcher && *run.launcher == Launcher::Mpirun;
  };
  if (framework_of(context) == Framework::Mpi || is_mpirun(*context.spec.run)) return true;
  if (are_programs(context)) return false;
  return std::ranges::any_of(*context.spec.roles, [&](const auto& role) {
    return role.key == "launcher" || is_mpirun(*role.value->run);
  });
}

}  // namespace

bool are_programs(const RuleContext& context) {
  return context.program != nullptr ||
         (has_programs(context.spec) && !context.in.target->entrypoint);
}

const RoleShape& shape_of(const RuleContext& context) {
  return context.in.target->shape_for(*context.plan.framework, asks_for_mpirun(context));
}

bool started_by_mpirun(const RuleContext& context) {
  const bool able = context.program == nullptr && !context.in.target->mpirun.host_file.empty();
  return able && !shape_of(context).coordinator.empty();
}

const RoleInput& program_of(const RuleContext& context, const RoleInput& input) {
  if (!started_by_mpirun(context)) return input;
  for (const RoleInput& other : context.roles) {
    if (other.is_coordinator) return other;
  }
  return input;
}

const Role& runs_on(const RuleContext& context, const Role& role) {
  if (role.trains || !started_by_mpirun(context)) return role;
  for (const Role& other : context.plan.roles) {
    if (other.trains) return other;
  }
  return role;
}

const RoleInput& first_ranked(const RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const auto& first = input.role->first_rank;
    if (first && *first == 0) return input;
  }
  return context.roles.back();
}

bool calls_mpirun_itself(const RuleContext& context, const RoleInput& launcher) {
  return *context.plan.framework == "mpi" && starts_own_command(context, launcher);
}

bool runs_mpirun_only(const RuleContext& context, const RoleInput& input) {
  return input.is_coordinator && !input.role->trains && started_by_mpirun(context) &&
         !calls_mpirun_itself(context, input);
}

std::int64_t starts_per_node(const RuleContext& context, const RoleInput& launcher) {
  const std::int64_t processes = *runs_on(context, *launcher.role).processes;
  const bool each_process =
      launcher_of(context, launcher) == Launcher::Mpirun || calls_mpirun_itself(context, launcher);
  return each_process ? processes : 1;
}

bool starts_own_command(const RuleContext& context, const RoleInput& input) {
  const ProgramForm form = program_form(*context.of(input, &RoleFields::run));
  return form != ProgramForm::Script && form != ProgramForm::Module;
}

bool reads_torchrun_variables(const RuleContext& context, const RoleInput& input) {
  const Framework framework = framework_of(context);
  if (framework != Framework::Pytorch && framework != Framework::Nemo) return false;
  return launcher_of(context, input) == Launcher::Torchrun || starts_own_command(context, input);
}

bool numbers_by_joining(const RuleContext& context, const RendezvousRequest& wanted) {
  const bool is_elastic = context.spec.elastic.given();
  const auto otherwise = is_elastic ? RendezvousBackend::C10d : RendezvousBackend::Static;
  return wanted.backend.value_or(otherwise) == RendezvousBackend::C10d;
}

std::string option_name(std::string_view word) {
  std::string name(word.substr(0, word.find('=')));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace trainyard
