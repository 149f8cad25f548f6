#include <string>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void tell_of(RuleContext& context, std::string_view launcher, Span place) {
  context
      .report(DiagnosticKind::LauncherNeedsProcesses, place,
              "nothing tells this program of the other pods; the operator tells " + code(launcher))
      .note("start the program by " + code(launcher) +
            ", or give `run.script` or `run.module`, which are started by it");
}

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

/// A command of the author's own starts the launcher of the target itself, if anything does.
void check_own_launcher(RuleContext& context, const Run& run) {
  const std::string_view launcher = context.in.target->launcher;
  if (launcher.empty() || !*context.plan.multi_node) return;
  const auto names = [&](std::string_view text) { return text.find(launcher) != text.npos; };
  if (run.shell && !names(*run.shell)) return tell_of(context, launcher, run.shell.span);
  if (!run.command) return;
  for (const TextList* words : {&run.command, &run.args}) {
    for (const Text& word : **words) {
      if (names(*word)) return;
    }
  }
  tell_of(context, launcher, run.command.span);
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    check_plain_start(context, input, run);
    check_own_launcher(context, run);
  }
}

}  // namespace

extern const Rule launcher_check_rule{
    "launcher-check",
    Rule::Phase::Check,
    "What starts the processes can start as many as the spec asks for, where it asks for them.",
    "A script without a launcher is one process: the other GPUs stay idle and the job succeeds.",
    "spec.run spec.processesPerNode spec.framework plan.multiNode target.launch",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
