#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/words.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/wanted_scheduling.h"
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
  std::vector<std::string> names;
  std::string_view system;
};

/// The system whose variable this is; "" for one of none, and where the image may set it.
std::string_view other_system(std::string_view name, std::string_view image) {
  const auto row = std::ranges::find_if(kVariables, [&](const OtherVariables& each) {
    return name.starts_with(each.start) && image.find(each.image) == image.npos;
  });
  return row == kVariables.end() ? std::string_view() : row->system;
}

/// The variables of another system that a script reads and does not set: of the first such system,
/// and no more than a message shows.
Unset unset_variables(std::string_view image, const Script& script, const Role& role) {
  constexpr std::size_t kMostNames = 12;
  constexpr std::size_t kMostSeen = 200;
  Unset found;
  std::set<std::string_view> seen;  // each is searched for in the whole script
  for (const Expansion& each : script.expansions) {
    if (each.kind != Expansion::Kind::Variable || each.change != 0) continue;
    const std::string_view system = other_system(each.name, image);
    if (system.empty() || (!found.names.empty() && found.system != system)) continue;
    if (seen.size() == kMostSeen) break;
    if (!seen.insert(each.name).second) continue;
    if (script.text.find(std::string(each.name) + "=") != std::string_view::npos) continue;
    if (std::ranges::find(role.env, each.name, &EnvVar::name) != role.env.end()) continue;
    found.system = system;
    found.names.push_back("$" + std::string(each.name));
    if (found.names.size() == kMostNames) break;
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
  context
      .report(DiagnosticKind::UnknownVariable, text.span,
              "nothing sets " + listed(unset.names, "and") + " in this shell")
      .note("the variables of a pod are `NNODES`, `NODE_RANK`, `MASTER_ADDR` and `MASTER_PORT`; " +
            std::string(unset.system) + " sets its own in its own jobs");
}

/// A queue that the author labels the job with: nothing here knows that the job has one.
void check_labels(RuleContext& context, const TextMap& names, std::string_view field) {
  for (const auto& each : *names) {
    const QueueingSystem* system = system_of_label(each.key);
    if (system == nullptr) continue;
    const WantedScheduling wanted = wanted_scheduling(context);
    const bool is_label = field == "labels";
    const bool same = wanted.is(system->id) && wanted.queue != nullptr && *wanted.queue &&
                      **wanted.queue == *each.value;
    if (is_label && same) continue;
    Diagnostic report(DiagnosticKind::NoEffect, each.key_span,
                      is_label ? code(each.key) + " is copied, and says nothing of a queue here"
                               : code(each.key) + " is a label, and no annotation");
    report.severity = Severity::Note;
    context.sink.report(std::move(report))
        .note("write " + code("scheduling: {system: " + std::string(spelling(system->id)) +
                              ", queue: " + std::string(*each.value) + "}"));
  }
}

void run(RuleContext& context) {
  check_labels(context, context.in.job->metadata->labels, "labels");
  check_labels(context, context.in.job->metadata->annotations, "annotations");
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
    "A pod has what the job starts: no program or variable of Slurm, no variable of SageMaker or "
    "SkyPilot, and no docker; `scheduling` names the queue, not a label.",
    "A command of another system is not found, and its variables are empty: torchrun then takes "
    "`--nnodes=` for its own default (SchedMD/slurm doc/man/man1/srun.1).",
    "spec.run spec.image spec.roles spec.scheduling spec.metadata.labels spec.metadata.annotations "
    "cluster.defaults.scheduling target.queueing role.env",
    "",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
