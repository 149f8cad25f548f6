#include "rules/launch.h"

#include <algorithm>

namespace trainyard {

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
  switch (context.spec.framework.value_or(Framework::Pytorch)) {
    case Framework::Pytorch:
    case Framework::Nemo:
      return Launcher::Torchrun;
    case Framework::Mpi:
      return Launcher::Mpirun;
    default:
      return Launcher::None;
  }
}

bool starts_own_command(const RuleContext& context, const RoleInput& input) {
  const ProgramForm form = program_form(*context.of(input, &RoleFields::run));
  return form != ProgramForm::Script && form != ProgramForm::Module;
}

bool reads_torchrun_variables(const RuleContext& context, const RoleInput& input) {
  const Framework framework = context.spec.framework.value_or(Framework::Pytorch);
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
