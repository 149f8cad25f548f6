// Open MPI 5, which reads other variables than operators set.

#include <algorithm>
#include <string>

#include "check/check.h"
#include "check/command_line.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// `openmpi5`, `ompi-5.0.3`, `openmpi:5.0`: what names the release in an image.
bool names_open_mpi_5(std::string_view image) {
  std::string lower(image);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (std::string_view name : {"openmpi", "open-mpi", "ompi"}) {
    std::size_t at = lower.find(name);
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(lower).substr(at + name.size());
    while (!rest.empty() && std::string_view(":-_v").find(rest.front()) != std::string_view::npos) {
      rest.remove_prefix(1);
    }
    const bool five = rest.starts_with('5');
    const bool ends = rest.size() < 2 || rest[1] < '0' || rest[1] > '9';
    if (five && ends) return true;
  }
  return false;
}

/// Options and variables that only Open MPI 5 has.
View speaks_prrte(View container) {
  for (const ShellWord& word : command_words(container)) {
    if (word.text == "--prtemca" || word.text.starts_with("PRTE_MCA_") || word.text == "prterun") {
      return word.at;
    }
  }
  for (View each : items_at(container, "env")) {
    if (string_at(each, "name").starts_with("PRTE_MCA_")) return get(each, "name");
  }
  return {};
}

bool has_hosts(View container) {
  if (variable(container, "PRTE_MCA_prte_default_hostfile")) return true;
  const auto call = mpirun_call(container);
  if (!call) return false;
  for (std::string_view name : {"hostfile", "machinefile", "host", "H"}) {
    if (call->option(name)) return true;
  }
  for (const ShellWord& word : command_words(container)) {
    if (contains(word.text, "prte_default_hostfile")) return true;
  }
  return false;
}

void open_mpi_5(const Workload& workload, CheckContext& context) {
  if (workload.kind != "MPIJob" ||
      string_at(workload.object, "apiVersion") != "kubeflow.org/v2beta1") {
    return;
  }
  const std::string_view implementation = string_at(workload.spec, "mpiImplementation");
  const WorkloadRole* launcher = workload.role("Launcher");
  if (launcher == nullptr || (!implementation.empty() && implementation != "OpenMPI")) return;
  for (View container : launcher->containers) {
    const View image = get(container, "image");
    const View words = speaks_prrte(container);
    const bool five = names_open_mpi_5(string_of(image)) || words;
    if (!five) continue;
    if (!has_hosts(container)) {
      context.lint(words ? words : image,
                   "Open MPI 5 does not read the operator's `OMPI_MCA_orte_default_hostfile`: all "
                   "ranks run on the launcher, and the job succeeds");
    }
    for (View each : items_at(container, "env")) {
      const View name = get(each, "name");
      if (!string_of(name).starts_with("OMPI_MCA_orte_") &&
          !string_of(name).starts_with("OMPI_MCA_plm_rsh_")) {
        continue;
      }
      context.lint(name, "Open MPI 5 does not read " + shown(name->text));
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "open-mpi-5",
     .on = "workload",
     .sentence = "Open MPI 5 is told its hosts by names that it reads.",
     .source = "kubeflow/mpi-operator issue 842; kubeflow/trainer issue 4028",
     .workload = open_mpi_5,
     .severity = Severity::Warning,
     .because = "Release 5 has PRRTE in the place of ORTE and ignores variables of the latter; "
                "without hosts mpirun starts every rank where it is.",
     .fix = "set `PRTE_MCA_prte_default_hostfile` to `/etc/mpi/hostfile`, or pass `--hostfile`"},
};

}  // namespace

const std::span<const Check> mpi_lints = kChecks;

}  // namespace trainyard
