#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "rules/program_start.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "spec/known_images.h"

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

/// Whether Open MPI of the image starts for root without being asked to. Horovod's mpirun is a
/// script that adds the option (horovod/horovod docker/horovod/Dockerfile).
bool allows_root(const RoleInput& input, const Run& run, const KnownImage& image) {
  if (image.repository.starts_with("horovod/") || !input.role->env_from.empty()) return true;
  const auto allows = [](std::string_view text) {
    return text.find("ALLOW_RUN_AS_ROOT") != text.npos;
  };
  if (std::ranges::any_of(input.role->env, allows, &EnvVar::name)) return true;
  return std::ranges::any_of(*run.command,
                             [](const Text& word) { return *word == "--allow-run-as-root"; });
}

/// An mpirun of the author's own, in an image that starts as root.
void check_root_of_mpirun(RuleContext& context, const RoleInput& input, const Run& run) {
  if (!run.command || run.command->empty()) return;
  const Text& first = run.command->front();
  const std::string_view program = program_name(*first);
  if (program != "mpirun" && program != "mpiexec") return;
  if (run.mpi_implementation && *run.mpi_implementation != MpiImplementation::OpenMpi) return;
  const Security& wanted = *context.spec.security;
  const auto image = known_image(*input.role->image);
  const bool is_root = image && image->user == "root" && !wanted.run_as_user &&
                       !wanted.run_as_non_root.value_or(false);
  if (!is_root || allows_root(input, run, *image)) return;
  Diagnostic report(DiagnosticKind::RunsWrong, first.span,
                    "images " + code(image->repository) + " start as root, for which " +
                        code(program) + " of Open MPI starts nothing of its own accord");
  report.severity = Severity::Note;
  context.sink.report(std::move(report))
      .note("add `--allow-run-as-root`, where the image does not set `OMPI_ALLOW_RUN_AS_ROOT`");
}

/// A program that starts the processes of a training on its own node alone, where Ray starts no
/// more than this program.
bool starts_beside_ray(std::string_view program) {
  const std::string_view name = program_name(program);
  return starts_ranks(name) || name == "axolotl" || name == "tune";
}

/// The one program of a job runs on the head.
void check_start_on_head(RuleContext& context, const RoleInput& input, const Run& run) {
  if (!context.in.target->entrypoint || !input.is_coordinator || *input.role->gpus > 0) return;
  std::string name;
  Span place;
  if (run.command && !run.command->empty()) {
    name = *run.command->front();
    place = run.command->front().span;
  }
  const Script script = read_script(run.shell.value_or(""));
  for (const ScriptCommand& command : script.commands) {
    const std::size_t at = command.words.empty() || command.words[0].text != "exec" ? 0 : 1;
    if (at >= command.words.size() || !starts_beside_ray(command.words[at].text)) continue;
    name = command.words[at].text;
    place = run.shell.span;
  }
  if (!starts_beside_ray(name)) return;
  context
      .report(DiagnosticKind::RunsWrong, place,
              code(program_name(name)) +
                  " starts processes where it runs: on the head, which has no GPUs")
      .note(
          "on a Ray cluster a program of Ray starts them; choose another target, or, for one "
          "node, give the head its GPUs: `roles: {head: {gpusPerNode: 8}}`");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    check_start_on_head(context, input, run);
    check_root_of_mpirun(context, input, run);
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
    "spec.run spec.processesPerNode spec.framework spec.security spec.roles plan.multiNode "
    "role.image role.env role.envFrom role.gpus target.launch target.entrypoint",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
