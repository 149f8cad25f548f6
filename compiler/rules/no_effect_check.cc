#include <algorithm>
#include <string>

#include "rules/program_start.h"
#include "rules/rerun.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

void no_effect(RuleContext& context, Span where, std::string_view field, std::string_view why) {
  context.report(DiagnosticKind::NoEffect, where, code(field) + " has no effect here")
      .note(std::string(why));
}

void check_launcher(RuleContext& context, const RoleInput& input, const Run& run) {
  const bool own_command = starts_own_command(context, input);
  if (run.launcher && *run.launcher != Launcher::None && own_command) {
    no_effect(context, run.launcher.span, "launcher", "a launcher starts a `script` or `module`");
  }
  if (run.launcher_args && (own_command || launcher_of(context, input) == Launcher::None)) {
    no_effect(context, run.launcher_args.span, "launcherArgs", "no launcher is used");
  }
  const bool can_use_ssh = !context.in.target->mpirun.host_file.empty();
  if (run.ssh_port && can_use_ssh && !started_by_mpirun(context)) {
    no_effect(context, run.ssh_port.span, "sshPort", "only an mpirun of Trainyard goes by ssh");
  }
  if (run.pip && !run.packages) {
    no_effect(context, run.pip.span, "pip", "there are no `packages` to install");
  }
}

/// The ranks meet at a port of the role that rank 0 is of.
void check_port(RuleContext& context, const RoleInput& input, const Integer& wanted) {
  const auto& first = input.role->first_rank;
  const auto& port = context.plan.rendezvous.port;
  if (!wanted || !port || *wanted == *port || (first && *first == 0)) return;
  no_effect(context, wanted.span, "port", "the ranks meet at the port of the role of rank 0");
}

/// Where the ranks meet is asked for, but nothing reads it.
void check_rendezvous(RuleContext& context, const RoleInput& input, const Run& run) {
  const RendezvousRequest& wanted = *run.rendezvous;
  if (!*context.plan.multi_node) {
    if (run.rendezvous) {
      no_effect(context, run.rendezvous.span, "rendezvous", "one node has no peers to meet");
    }
    return;
  }
  check_port(context, input, wanted.port);
  if (reads_torchrun_variables(context, input)) return;
  constexpr std::string_view kWhy = "only torchrun reads it";
  if (wanted.backend) no_effect(context, wanted.backend.span, "backend", kWhy);
  if (wanted.timeout) no_effect(context, wanted.timeout.span, "timeout", kWhy);
}

void check_gpu(RuleContext& context, const RoleInput& input) {
  const auto& gpu = context.of_training(input, &RoleFields::gpu);
  const bool own = input.own != nullptr && input.own->gpu;
  const bool of_nobody = std::ranges::all_of(
      context.roles, [](const RoleInput& each) { return *each.role->gpus == 0; });
  if (gpu && *input.role->gpus == 0 && (own || of_nobody)) {
    no_effect(context, gpu.span, "gpu", "the pods have no GPUs, by `gpusPerNode: 0`");
  }
}

/// Whether some pods run what `spec.run` says. Those that mpirun reaches run sshd.
bool runs_program_of_job(const RuleContext& context) {
  const bool by_mpirun = started_by_mpirun(context);
  return std::ranges::any_of(context.roles, [&](const RoleInput& input) {
    const bool own = input.own != nullptr && input.own->run;
    return !own && (input.is_coordinator || !by_mpirun);
  });
}

/// A `run` of a role is taken whole, and not merged with that of the job.
void check_program_of_job(RuleContext& context) {
  const Located<Run>& run = context.spec.run;
  if (!run || runs_program_of_job(context)) return;
  constexpr std::string_view kWhy = "each role has a `run` of its own, which takes its place";
  const auto check = [&](const auto& value, std::string_view field) {
    if (value) no_effect(context, value.span, "run." + std::string(field), kWhy);
  };
  check(run->script, "script");
  check(run->module, "module");
  check(run->shell, "shell");
  check(run->command, "command");
  check(run->args, "args");
  check(run->launcher, "launcher");
  check(run->launcher_args, "launcherArgs");
  check(run->working_dir, "workingDir");
  check(run->before, "before");
  check(run->packages, "packages");
  check(run->rendezvous, "rendezvous");
}

void check_generation(RuleContext& context) {
  const Integer& wanted = context.spec.generation;
  if (!wanted || rerun_of(context).how == Rerun::NewName) return;
  no_effect(context, wanted.span, "generation", "only `rerun: new-name` names a run by it");
}

void run(RuleContext& context) {
  check_program_of_job(context);
  check_generation(context);
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    check_launcher(context, input, run);
    check_rendezvous(context, input, run);
    check_gpu(context, input);
  }
}

}  // namespace

extern const Rule no_effect_check_rule{
    "no-effect-check",
    Rule::Phase::Check,
    "A field that changes nothing, because of what the others say, is pointed out.",
    "Its author believes that it does something.",
    "spec.run spec.gpu spec.framework spec.rerun spec.generation cluster.gitops.tool target.cannot "
    " plan.multiNode plan.rendezvous role.gpus role.firstRank",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
