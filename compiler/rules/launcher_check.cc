#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// A script that the pod starts directly is one process, whatever the number of GPUs.
void check_plain_start(RuleContext& context, const RoleInput& input, const Run& run) {
  const ProgramForm form = program_form(run);
  if (form != ProgramForm::Script && form != ProgramForm::Module) return;
  if (launcher_of(context, input) != Launcher::None) return;
  const Integer& wanted = context.of(input, &RoleFields::processes_per_node);
  if (!wanted || *wanted == 1) return;
  context
      .report(DiagnosticKind::LauncherNeedsProcesses, wanted.span,
              std::to_string(*wanted) + " processes per node, but nothing starts more than one")
      .note("choose a `run.launcher`: `torchrun`, `accelerate` or `deepspeed`");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    check_plain_start(context, input, run);
  }
}

}  // namespace

extern const Rule launcher_check_rule{
    "launcher-check",
    Rule::Phase::Check,
    "What starts the processes can start as many as the spec asks for, where it asks for them.",
    "A script without a launcher is one process: the other GPUs stay idle and the job succeeds.",
    "spec.run spec.processesPerNode spec.framework",
    "",
    run};

}  // namespace trainyard
