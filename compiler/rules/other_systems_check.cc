#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"
#include "rules/rule_context.h"
#include "shell/script.h"
#include "shell/script_commands.h"

namespace trainyard {
namespace {

/// A program that starts others elsewhere, and what a pod has in its place.
struct OtherStart {
  std::string_view name;
  std::string_view system;  // what an image with it has in its name
  std::string_view note;
};
constexpr std::string_view kSlurm =
    "Kubernetes starts a pod on each of `nodes`: name the program in `script`, and what starts its "
    "processes in `launcher`";
constexpr std::string_view kDocker =
    "the pod is the container: name its image in `image`, its folders in `storage`";
constexpr auto kStarts = std::to_array<OtherStart>({
    {"srun", "slurm", kSlurm},
    {"sbatch", "slurm", kSlurm},
    {"salloc", "slurm", kSlurm},
    {"qsub", "pbs", kSlurm},
    {"bsub", "lsf", kSlurm},
    {"docker", "docker", kDocker},
    {"nvidia-docker", "docker", kDocker},
    {"podman", "podman", kDocker},
    {"singularity", "singularity", kDocker},
    {"apptainer", "apptainer", kDocker},
});

void check_program(RuleContext& context, std::string_view image, std::string_view program,
                   Span place) {
  const auto row = std::ranges::find(kStarts, program_name(program), &OtherStart::name);
  if (row == kStarts.end() || image.find(row->system) != image.npos) return;
  context
      .report(DiagnosticKind::RunsWrong, place,
              code(row->name) + " is not there: few images have it, and a pod has no service of " +
                  std::string(row->system))
      .note(std::string(row->note));
}

/// Variables that another system sets in its own jobs.
struct OtherVariables {
  std::string_view start;
  std::string_view system;
  std::string_view image;  // what an image that may set them has in its name
};
constexpr auto kVariables = std::to_array<OtherVariables>({
    {"SLURM_", "Slurm", "slurm"},
    {"SKYPILOT_", "SkyPilot", "sky"},
    // aws/sagemaker-training-toolkit src/sagemaker_training/params.py
    {"SM_NUM_", "SageMaker", "sagemaker"},
    {"SM_HOSTS", "SageMaker", "sagemaker"},
    {"SM_CURRENT_", "SageMaker", "sagemaker"},
    {"SM_CHANNEL", "SageMaker", "sagemaker"},
    {"SM_MODEL_DIR", "SageMaker", "sagemaker"},
    {"SM_OUTPUT_D", "SageMaker", "sagemaker"},
});

struct Unset {
  std::vector<std::string_view> names;
  std::string_view system;
};

/// The variables of another system that a script reads and does not set: of the first such system.
Unset unset_variables(std::string_view image, const Script& script, const Role& role) {
  Unset found;
  for (const Expansion& each : script.expansions) {
    const bool is_read = each.kind == Expansion::Kind::Variable && each.change == 0;
    const bool is_set = script.text.find(std::string(each.name) + "=") != std::string_view::npos;
    const bool is_given = std::ranges::find(role.env, each.name, &EnvVar::name) != role.env.end();
    if (!is_read || is_set || is_given) continue;
    for (const OtherVariables& other : kVariables) {
      if (!each.name.starts_with(other.start) || image.find(other.image) != image.npos) continue;
      if (found.names.empty()) found.system = other.system;
      const bool is_new = std::ranges::find(found.names, each.name) == found.names.end();
      if (is_new && found.system == other.system) found.names.push_back(each.name);
      break;
    }
  }
  return found;
}

void check_script(RuleContext& context, const Role& role, std::string_view image,
                  const Text& text) {
  const Script script = read_script(*text);
  for (const ScriptCommand& command : script.commands) {
    if (!command.is_simple() || command.words.empty()) continue;
    check_program(context, image, command.words.front().text, text.span);
  }
  const Unset unset = unset_variables(image, script, role);
  if (unset.names.empty()) return;
  std::string names;
  for (std::string_view each : unset.names) {
    const bool is_last = each == unset.names.back();
    names += (names.empty() ? "" : is_last ? " and " : ", ") + code("$" + std::string(each));
  }
  context
      .report(DiagnosticKind::UnknownVariable, text.span,
              "nothing sets " + names + " in this shell")
      .note("the variables of a pod are `NNODES`, `NODE_RANK`, `MASTER_ADDR` and `MASTER_PORT`; " +
            std::string(unset.system) + " sets its own in its own jobs");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    const Run& run = *context.of(input, &RoleFields::run);
    const Text& own = context.of(input, &RoleFields::image);
    const std::string image(own.value_or(""));
    if (run.command && !run.command->empty()) {
      check_program(context, image, *run.command->front(), run.command->front().span);
    }
    if (run.shell) check_script(context, *input.role, image, run.shell);
  }
}

}  // namespace

extern const Rule other_systems_check_rule{
    "other-systems-check",
    Rule::Phase::Check,
    "What a job starts is there in a pod: no program or variable of Slurm, no "
    "variable of SageMaker or SkyPilot, and no docker.",
    "A command of another system is not found, and its variables are empty: torchrun then takes "
    "`--nnodes=` for its own default (SchedMD/slurm doc/man/man1/srun.1).",
    "spec.run spec.image spec.roles role.env",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
