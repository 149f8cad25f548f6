// Files of hosts that nothing writes.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kOfOperator = "/etc/mpi/hostfile";
constexpr std::string_view kOfVolcano = "/etc/volcano/";

/// kubeflow/mpi-operator and kubeflow/trainer, plugin mpi, write it into the pods of a launcher.
bool has_file_of_operator(const Workload& workload) {
  if (workload.kind == "MPIJob") return true;
  if (workload.kind == "TrainJob") return true;  // its runtime may
  return static_cast<bool>(get(get(workload.spec, "mlPolicy"), "mpi"));
}

/// Whether a path stands in a second word: a command that writes it, or a variable.
bool stands_elsewhere(View container, std::string_view path) {
  const ShellWords words = command_words(container);
  return std::ranges::count_if(words, [path](const ShellWord& word) {
           return word.text.find(path) != word.text.npos;
         }) > 1;
}

/// Whether programs run before the launcher that may write any file.
bool is_first_program(View container, const LauncherCall& call) {
  for (const ShellWord& word : command_words(container)) {
    if (word.at.is_at(call.at) && word.at.begin == call.at.begin) return true;
    if (word.text == "\n") return false;
  }
  return true;
}

struct HostFileOption {
  OptionValue path;
  const LauncherCall* call = nullptr;
};

HostFileOption host_file_option(const LauncherCall* call) {
  if (call == nullptr) return {};
  for (std::string_view name : {"hostfile", "machinefile", "H", "f"}) {
    const OptionValue& path = call->option(name);
    if (path.text.starts_with('/')) return {path, call};
  }
  return {};
}

bool may_be_there(const Workload& workload, const WorkloadRole& role, View container,
                  const HostFileOption& file) {
  if (file.path.text.find('$') != std::string::npos) return true;
  if (file.path.text == kOfOperator && has_file_of_operator(workload)) return true;
  if (role.pod.spec && mounted_path(role.pod, container, file.path.text)) return true;
  if (stands_elsewhere(container, file.path.text)) return true;
  return file.path.text != kOfOperator && !is_first_program(container, *file.call);
}

/// deepspeedai/DeepSpeed deepspeed/launcher/runner.py fetch_hostfile, _parse_hostfile
void check_deepspeed(const Workload& workload, const WorkloadRole& role, View container,
                     CheckContext& context) {
  const auto call = deepspeed_call(container);
  const HostFileOption file = host_file_option(call.get());
  if (!file.path) return;
  if (file.path.text.starts_with(kOfVolcano) && file.path.text.ends_with(".host")) {
    context.lint(file.path.at,
                 "the file that the plugin `svc` writes has no `slots=N` behind its "
                 "hosts, and deepspeed takes no line without");
    return;
  }
  if (may_be_there(workload, role, container, file)) return;
  context.lint(file.path.at, "nothing writes " + shown(file.path.text) +
                                 ", and without the file deepspeed trains on this pod alone");
}

void check_mpirun(const Workload& workload, const WorkloadRole& role, View container,
                  CheckContext& context) {
  const auto call = mpirun_call(container);
  const HostFileOption file = host_file_option(call.get());
  if (file.path.text != kOfOperator || may_be_there(workload, role, container, file)) return;
  context.lint(file.path.at, "nothing writes " + shown(file.path.text) + " in a " +
                                 std::string(workload.kind) + ": mpirun ends without the file");
}

void host_files(const Workload& workload, CheckContext& context) {
  if (workload.pods() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      check_deepspeed(workload, role, container, context);
      check_mpirun(workload, role, container, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "launcher-host-file",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Something writes the file from which a launcher reads its hosts.",
     .source =
         "deepspeedai/DeepSpeed deepspeed/launcher/runner.py fetch_hostfile, _parse_hostfile; "
         "volcano-sh/volcano pkg/controllers/job/plugins/svc/svc.go",
     .workload = host_files,
     .severity = Severity::Warning,
     .because = "deepspeed only warns, trains on the GPUs of its own pod and ends well; mpirun "
                "ends before any rank.",
     .fix = "write the hosts, each with `slots=N`, to the file first; `/etc/mpi/hostfile` is in an "
            "MPIJob only"},
};

}  // namespace

const std::span<const Check> host_file_lints = kChecks;

}  // namespace trainyard
