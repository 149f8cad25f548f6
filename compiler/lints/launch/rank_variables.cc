// Variables that stay with mpirun, whose ranks run in other pods.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/launches.h"
#include "operators/train_job_runtime.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Beginnings of variables that only ranks read.
constexpr auto kOfRanks = std::to_array<std::string_view>(
    {"NCCL_", "UCX_", "GLOO_", "FI_", "CUDA_", "TORCH_", "PYTORCH_", "HF_", "TRANSFORMERS_",
     "WANDB_", "MLFLOW_", "HOROVOD_", "TF_", "XLA_", "JAX_", "NVTE_", "SHARP_", "OMP_NUM_THREADS",
     "PYTHONPATH"});

/// Beginnings of those that mpirun passes on by itself, or is the one to read.
constexpr auto kOfMpirun =
    std::to_array<std::string_view>({"OMPI_", "PRTE_", "PMIX_", "NVIDIA_", "PATH", "HOME"});

template <std::size_t N>
bool begins(std::string_view name, const std::array<std::string_view, N>& with) {
  return std::ranges::any_of(with, [&](std::string_view each) { return name.starts_with(each); });
}

/// The words of a call of mpirun as far as they say which variables go with it.
class PassedOn {
 public:
  explicit PassedOn(std::span<const ShellWord> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i].text;
      const std::string_view name = program_name(word);
      is_call_ = is_call_ || name == "mpirun" || name == "mpiexec";
      // A script that sets what it likes, all variables, another MPI, or words put together.
      is_known_ = is_known_ && (is_call_ || !name.ends_with(".sh")) && name != "mpiexec.hydra" &&
                  name != "horovodrun" && word.find("base_env_list") == word.npos &&
                  word.find("genv") == word.npos && word.find("-x ") == word.npos;
      if (word != "-x" || i + 1 == words.size()) continue;
      const std::string_view variable = words[i + 1].text;
      is_known_ = is_known_ && variable.find_first_of("$`") == variable.npos;
      names_.emplace_back(variable.substr(0, variable.find('=')));
    }
  }

  /// Whether this is mpirun, called in a way that can be followed.
  bool is_plain_call() const { return is_call_ && is_known_; }
  bool has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

 private:
  std::vector<std::string> names_;
  bool is_call_ = false;
  bool is_known_ = true;
};

/// A variable may also be there for the shell that calls mpirun.
bool is_expanded(std::span<const ShellWord> words, std::string_view name) {
  const std::string plain = "$" + std::string(name);
  return std::ranges::any_of(words, [&](const ShellWord& word) {
    return word.text.find(plain) != std::string::npos ||
           word.text.find("${" + std::string(name)) != std::string::npos ||
           word.text.find("$(" + std::string(name) + ")") != std::string::npos;
  });
}

/// One finding for all of a container, at the first: one option, or `-x` for each, mends them.
void report_unseen(std::span<const View> names, std::string_view whose, CheckContext& context) {
  if (names.empty()) return;
  std::vector<std::string> texts;
  for (View each : names) texts.emplace_back(each->text);
  context.lint(names.front(), "the ranks in other pods do not see " + listed(texts, "and") +
                                  " of " + std::string(whose) + ": no option of mpirun passes " +
                                  (names.size() == 1 ? "it" : "them") + " on");
}

/// The role whose containers call mpirun; the workers are reached over ssh.
const WorkloadRole* launcher_of(const Workload& workload) {
  if (workload.kind == "MPIJob") {
    const bool open = mpi_of_operator(workload.spec) == Mpi::Open;
    return open && is_mpi_job_over_ssh(workload) ? workload.role("Launcher") : nullptr;
  }
  const auto found = std::ranges::find(workload.roles, true, &WorkloadRole::is_launcher);
  const bool is_mpi = static_cast<bool>(volcano_plugin(workload, "mpi")) ||
                      get(get(workload.spec, "mlPolicy"), "mpi");
  return is_mpi && found != workload.roles.end() ? &*found : nullptr;
}

bool sets(const WorkloadRole& role, std::string_view name) {
  return std::ranges::any_of(role.containers, [&](View container) {
    return static_cast<bool>(variable(container, name));
  });
}

void launcher_variables(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = launcher_of(workload);
  if (launcher == nullptr || workload.pods() <= launcher->pods) return;
  for (View container : launcher->containers) {
    if (!has_items(get(container, "env"))) continue;
    const ShellWords words = command_words(container);
    const ShellWords written = argument_words(arguments_of(container));
    const PassedOn passed(words);
    if (!passed.is_plain_call() || variable(container, "OMPI_MCA_mca_base_env_list")) continue;
    std::vector<View> unseen;
    for (View each : items_at(container, "env")) {
      const View name = get(each, "name");
      if (!begins(string_of(name), kOfRanks) || passed.has(name->text)) continue;
      const bool elsewhere = std::ranges::any_of(workload.roles, [&](const WorkloadRole& role) {
        return &role != launcher && sets(role, name->text);
      });
      if (!elsewhere && !is_expanded(written, name->text)) unseen.push_back(name);
    }
    report_unseen(unseen, "the launcher", context);
  }
}

/// What the container of the launcher runs: the runtime's words where the TrainJob has none.
ShellWords trainer_words(View trainer, View container) {
  std::vector<View> arguments;
  for (std::string_view field : {"command", "args"}) {
    const bool has_own = has_items(get(trainer, field));
    for (View each : items_at(has_own ? trainer : container, field)) arguments.push_back(each);
  }
  return argument_words(arguments);
}

/// Pods besides that of the launcher, as far as they are stated.
bool has_others(const TrainJob& job) {
  const View policy = get(get(job.runtime, "spec"), "mlPolicy");
  const View own = get(job.trainer, "numNodes");
  const std::int64_t nodes = integer_of(own ? own : get(policy, "numNodes")).value_or(1);
  return nodes > 1 || (job.runtime && !is_true(get(get(policy, "mpi"), "runLauncherAsNode")));
}

void trainer_variables(View object, CheckContext& context) {
  const View trainer = get(get(object, "spec"), "trainer");
  if (!has_items(get(trainer, "env"))) return;
  const TrainJob job = train_job(object, context);
  if (ml_policy(job) != MlPolicy::Mpi || !has_others(job)) return;
  const View mpi = get(get(get(job.runtime, "spec"), "mlPolicy"), "mpi");
  if (mpi_of_operator(mpi) != Mpi::Open) return;
  const View launcher = container_of(pod_spec_of(step(job.template_spec, "trainer")), "node");
  const ShellWords words = trainer_words(trainer, launcher);
  const PassedOn passed(words);
  if (!passed.is_plain_call() || variable(trainer, "OMPI_MCA_mca_base_env_list")) return;
  std::vector<View> unseen;
  for (View each : items_at(trainer, "env")) {
    const View name = get(each, "name");
    if (string_of(name).empty() || begins(name->text, kOfMpirun)) continue;
    if (!passed.has(name->text) && !is_expanded(words, name->text)) unseen.push_back(name);
  }
  report_unseen(unseen, "the trainer", context);
}

constexpr Check kChecks[] = {
    {.name = "variable-stays-with-launcher",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .on = "trainer.kubeflow.org TrainJob",
     .sentence = "Variables of a launcher that are meant for ranks go with mpirun.",
     .source = "open-mpi/ompi docs, mpirun `-x`; kubeflow/mpi-operator "
               "pkg/controller/mpi_job_controller.go; kubeflow/trainer issue 3427, "
               "pkg/runtime/framework/plugins/mpi/mpi.go",
     .object = trainer_variables,
     .workload = launcher_variables,
     .severity = Severity::Warning,
     .because = "Ranks are started over ssh, which takes no variables along; Open MPI passes on "
                "only its own.",
     .fix = "pass it on with `-x NAME` in the call of mpirun"},
};

}  // namespace

const std::span<const Check> rank_variable_lints = kChecks;

}  // namespace trainyard
