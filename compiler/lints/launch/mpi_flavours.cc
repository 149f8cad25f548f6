// mpirun of one MPI under an operator that prepares another.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// open-mpi/ompi ompi/tools/mpirun; pmodels/mpich src/pm/hydra/mpiexec/options.c. Those that both
/// know, such as `-n` and `-host`, say nothing.
constexpr auto kOfOpenMpi = std::to_array<std::string_view>(
    {"--allow-run-as-root", "-allow-run-as-root", "-x", "--mca", "-mca", "--bind-to-core",
     "--report-bindings", "--tag-output", "-tag-output", "--display-map", "--oversubscribe",
     "--prtemca", "--mca-base-env-list"});
constexpr auto kOfHydra = std::to_array<std::string_view>(
    {"-genv", "-genvall", "-genvlist", "-genvnone", "-ppn", "-perhost", "-f", "-hosts", "-iface",
     "-print-rank-map", "-bootstrap", "-launcher"});

bool is_hydra(std::string_view program) {
  return program == "mpiexec.hydra" || program == "mpirun.hydra";
}

bool starts_mpi(std::string_view program) {
  return program == "mpirun" || program == "mpiexec" || program == "orterun" || is_hydra(program);
}

/// The word of a launcher's command that only the other MPI understands; an empty view for none.
View foreign_word(View container, bool is_open_mpi) {
  const ShellWords words = command_words(container);
  std::size_t at = 0;
  while (at < words.size() && !starts_mpi(program_name(words[at].text))) ++at;
  if (at == words.size()) return {};
  const std::string_view program = program_name(words[at].text);
  if (is_open_mpi && is_hydra(program)) return words[at].at;
  if (!is_open_mpi && program == "orterun") return words[at].at;
  for (++at; at < words.size(); ++at) {
    const std::string_view word = words[at].text;
    if (word.starts_with('$')) continue;
    if (!word.starts_with('-')) return {};  // the program that it starts
    const auto is_word = [&](std::string_view each) { return each == word; };
    if (is_open_mpi ? std::ranges::any_of(kOfHydra, is_word)
                    : std::ranges::any_of(kOfOpenMpi, is_word)) {
      return words[at].at;
    }
    at += mpirun_options.values_behind(word);
  }
  return {};
}

void other_mpi(const Workload& workload, CheckContext& context) {
  if (workload.kind != "MPIJob") return;
  if (string_at(workload.object, "apiVersion") != "kubeflow.org/v2beta1") return;
  const View field = get(workload.spec, "mpiImplementation");
  const bool is_open_mpi = !field || string_of(field) == "OpenMPI";
  const WorkloadRole* launcher = workload.role("Launcher");
  if (launcher == nullptr) return;
  for (View container : launcher->containers) {
    const View word = foreign_word(container, is_open_mpi);
    if (!word) continue;
    Diagnostic& found = context.lint(
        word, is_open_mpi
                  ? "this is of MPICH and Intel MPI, and the operator prepares Open MPI" +
                        std::string(field ? "" : ", the default of `mpiImplementation`")
                  : "this is of Open MPI, and the operator prepares " + shown(string_of(field)));
    if (field) found.also(context.place(field), "what the operator prepares");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "other-mpi",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "The launcher of an MPIJob speaks the MPI for which the operator prepares it.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go: OMPI_MCA_ variables or "
               "HYDRA_HOST_FILE and I_MPI_ variables; issue 472",
     .workload = other_mpi,
     .severity = Severity::Warning,
     .because = "mpirun ends at an option that it does not know, or finds no hosts and starts all "
                "processes in the launcher.",
     .fix = "set `mpiImplementation` to the MPI of the image, or write the options of the other"},
};

}  // namespace

const std::span<const Check> mpi_flavour_lints = kChecks;

}  // namespace trainyard
