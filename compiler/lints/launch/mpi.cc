// Open MPI 5, which reads other variables than operators set.

#include <algorithm>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/bare_launchers.h"
#include "manifest/devices.h"
#include "manifest/launches.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/characters.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// `openmpi5`, `ompi-5.0.3`, `openmpi:5.0`: what names the release in an image.
bool names_open_mpi_5(std::string_view image) {
  const std::string lower = lower_case(image);
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
  return variable(container, "PRTE_MCA_prte_default_hostfile") ||
         !mpi_launch_in(container).hosts.empty() ||
         std::ranges::any_of(command_words(container), [](const ShellWord& word) {
           return contains(word.text, "prte_default_hostfile");
         });
}

void open_mpi_5(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  if (!is_mpi_job_over_ssh(workload) || launcher == nullptr) return;
  if (mpi_of_operator(workload.spec) != Mpi::Open) return;
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

/// `horovodrun --host-discovery-script`, a file of the operator as well.
void discovery_script(View container, CheckContext& context) {
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view option = words[i].text;
    if (option.substr(0, option.find('=')) != "--host-discovery-script") continue;
    const OptionValue file = value_at(words, i);
    if (!file.text.starts_with("/etc/mpi/") || file.text == "/etc/mpi/discover_hosts.sh") continue;
    context.lint(file.at, "there is no " + shown(file.text) +
                              ": the operator's script is `/etc/mpi/discover_hosts.sh`");
  }
}

/// Version 1 of an MPIJob had a program in the place of ssh.
void remote_shell(View container, CheckContext& context) {
  constexpr std::string_view kProgram = "/etc/mpi/kubexec.sh";
  if (!contains_text(container, kProgram)) return;
  for (const ShellWord& word : command_words(container)) {
    if (!contains(word.text, kProgram)) continue;
    context.lint(word.at,
                 "there is no `/etc/mpi/kubexec.sh`: an MPIJob of `v2beta1` starts ranks "
                 "over ssh; leave the option out");
    return;
  }
}

/// The operator mounts its own files at /etc/mpi, and nothing else is there.
void host_file(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  if (!is_mpi_job_over_ssh(workload) || launcher == nullptr) return;
  for (View container : launcher->containers) {
    discovery_script(container, context);
    remote_shell(container, context);
    for (const LaunchHosts& hosts : mpi_launch_in(container).hosts) {
      const std::string& file = hosts.told.text;
      if (!hosts.in_file || !file.starts_with("/etc/mpi/") || file == "/etc/mpi/hostfile") continue;
      context.lint(hosts.told.at, "there is no " + shown(file) +
                                      ": the operator writes the hosts to `/etc/mpi/hostfile`");
    }
  }
}

void local_hosts(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  const WorkloadRole* workers = workload.role("Worker");
  if (!is_mpi_job_over_ssh(workload) || launcher == nullptr || workers == nullptr) return;
  if (!launcher->is_launcher || workers->pods == 0) return;
  for (View container : launcher->containers) {
    for (const Launch& launch : launches_in(container, {})) {
      for (const LaunchHosts& hosts : launch.hosts) {
        if (!hosts.are_local()) continue;
        context
            .lint(hosts.told.at, shown(hosts.told.text) +
                                     " starts all ranks on the launcher, and " +
                                     std::to_string(workers->pods) +
                                     (workers->pods == 1 ? " worker waits" : " workers wait"))
            .also(context.place(workers->count), "the workers");
      }
    }
  }
}

/// Keys are at /root/.ssh by default, which another user cannot read and does not look at.
void ssh_home(const Workload& workload, CheckContext& context) {
  if (!is_mpi_job_over_ssh(workload) || keys_of_operator(workload) != kKeysOfRoot) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const View user = other_user(role.pod, container);
      if (!user) continue;
      context.lint(user, shown(role.name) + " runs as user " + std::string(user->text) +
                             ", and the keys are in `/root/.ssh`");
      break;
    }
  }
}

/// What a container of a worker runs instead of sshd.
void idle_worker(const Workload& workload, CheckContext& context) {
  const WorkloadRole* workers = workload.role("Worker");
  if (!is_mpi_job_over_ssh(workload) || workers == nullptr || workers->containers.empty()) return;
  const View container = workers->containers.front();
  bool sleeps = false;
  for (const ShellWord& word : command_words(container)) {
    if (contains(word.text, "sshd")) return;
    sleeps = sleeps || word.text == "sleep" || word.text == "tail";
  }
  const View command = get(container, "command");
  if (!sleeps) return;
  context.lint(has_items(command) ? command : get(container, "args"),
               "the workers wait, and none runs the sshd by which mpirun starts its ranks");
}

/// The launcher has no rank, unless the job makes it a worker, too.
void launcher_gpus(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  const WorkloadRole* workers = workload.role("Worker");
  if (!is_mpi_job_over_ssh(workload) || launcher == nullptr || !launcher->is_launcher) return;
  const Devices devices = launcher->devices;
  if (devices.all() == 0 || workers == nullptr) return;
  for (View container : launcher->containers) {
    if (!mpirun_call(container)) return;
  }
  context.lint(devices.at, "the launcher keeps " + std::to_string(devices.all()) +
                               (devices.all() == 1 ? " GPU" : " GPUs") +
                               " on which no rank is started");
}

/// `train.py`, `/src/pretrain_gpt.py`: others may call mpirun themselves.
bool is_training_script(std::string_view path) {
  const std::string_view name = program_name(path);
  const bool starts_others = contains(name, "launch") || contains(name, "run") ||
                             contains(name, "submit") || contains(name, "start");
  return name.ends_with(".py") && !starts_others &&
         (contains(name, "train") || contains(name, "tune"));
}

/// A training that the launcher starts in its own pod: by no word it may reach the workers.
WordView trains_alone(View container) {
  if (!has_items(get(container, "command"))) return {};
  const std::vector<View> words = arguments_of(container);
  for (View word : words) {
    for (std::string_view sign : {"mpi", "MPI", "horovod", "hvd", "ssh", "srun", "prte", "dask",
                                  "ray", "deepspeed", "nemo", "/etc/", ".sh"}) {
      if (!word->is_scalar() || contains(word->text, sign)) return {};
    }
  }
  if (const auto call = torchrun_call(container)) {
    const bool is_alone = !call->option("nnodes") && !call->option("master-addr") &&
                          !call->option("rdzv-endpoint") && !call->may_have_more;
    return is_alone ? call->at : WordView();
  }
  const std::size_t first = place_of_program(words);
  const bool is_python = first + 1 < words.size() &&
                         program_name(words[first]->text).starts_with("python") &&
                         is_training_script(words[first + 1]->text);
  return is_python ? WordView(words[first]) : WordView();
}

void without_mpirun(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  const WorkloadRole* workers = workload.role("Worker");
  if (!is_mpi_job_over_ssh(workload) || launcher == nullptr || workers == nullptr) return;
  if (!launcher->is_launcher || workers->pods < 1) return;
  for (View worker : workers->containers) {  // sshd is what they run unless they say otherwise
    if (has_items(get(worker, "command")) || has_items(get(worker, "args"))) return;
  }
  for (View container : launcher->containers) {
    const WordView program = trains_alone(container);
    if (!program) continue;
    context.lint(program,
                 "nothing starts ranks on the " + std::to_string(workers->pods) +
                     (workers->pods == 1 ? " worker" : " workers") +
                     ": the launcher runs this in its own pod, without mpirun",
                 Severity::Warning);
  }
}

/// horovodrun and deepspeed do not read the variables by which the operator tells mpirun its hosts.
void without_hosts(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  const WorkloadRole* workers = workload.role("Worker");
  if (!is_mpi_job_over_ssh(workload) || launcher == nullptr || workers == nullptr) return;
  if (!launcher->is_launcher || workers->pods < 1) return;
  for (View container : launcher->containers) {
    for (const BareLauncher& bare : bare_launchers(workload, *launcher, container)) {
      context
          .lint(bare.at,
                bare.what + " starts all ranks on the launcher, and " +
                    std::to_string(workers->pods) +
                    (workers->pods == 1 ? " worker waits" : " workers wait"),
                bare.is_sure ? Severity::Error : Severity::Warning)
          .also(context.place(workers->count), "the workers");
    }
  }
}

void ranks_on_workers(const Workload& workload, CheckContext& context) {
  local_hosts(workload, context);
  without_hosts(workload, context);
  without_mpirun(workload, context);
}

constexpr Check kChecks[] = {
    {.name = "mpi-local-hosts",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "The launcher of an MPIJob starts its ranks on the workers.",
     .source = "open-mpi/ompi docs/launching-apps/scheduling.rst: `--host` counts before the "
               "operator's file of hosts",
     .workload = ranks_on_workers,
     .because = "The launcher has no GPUs, and the workers are idle until the job ends.",
     .fix = "start the training by mpirun, and leave out `--host`: the operator says to it where "
            "the workers are; give other launchers `--hostfile /etc/mpi/hostfile`"},
    {.name = "mpi-host-file",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "mpirun and horovodrun read their hosts from the files that the MPI Operator "
                 "writes.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go newConfigMap, "
               "updateDiscoverHostsInConfigMap",
     .workload = host_file,
     .because =
         "The folder holds the operator's own files only: the launcher ends before any rank.",
     .fix = "name `/etc/mpi/hostfile` for mpirun, or leave the option out, and "
            "`/etc/mpi/discover_hosts.sh` for horovodrun"},
    {.name = "mpi-ssh-home",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "The keys of an MPIJob are where the user of its containers looks for them.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/types.go SSHAuthMountPath",
     .workload = ssh_home,
     .severity = Severity::Warning,
     .because = "ssh asks for the keys in the home of its user: mpirun reaches no worker.",
     .fix = "set `sshAuthMountPath` to `.ssh` in the home of that user"},
    {.name = "mpi-idle-worker",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Workers of an MPIJob run sshd.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go newWorker: sshd only "
               "without a command",
     .workload = idle_worker,
     .severity = Severity::Warning,
     .because = "Release 2 of the operator starts ranks over ssh; a worker that only waited was "
                "enough for the first, which used `kubectl exec`.",
     .fix = "leave `command` and `args` of the worker out, or end them with `/usr/sbin/sshd -De`"},
    {.name = "mpi-launcher-gpus",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "A launcher that has no rank asks for no GPUs.",
     .source = "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go: the hostfile has the "
               "launcher with runLauncherAsWorker only",
     .workload = launcher_gpus,
     .severity = Severity::Warning,
     .because = "They are idle for the whole job.",
     .fix = "leave them to the workers, or set `runLauncherAsWorker: true`"},
    {.name = "open-mpi-5",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .sentence = "Open MPI 5 gets its hosts by names that it reads.",
     .source = "kubeflow/mpi-operator issue 842; kubeflow/trainer issue 4028",
     .workload = open_mpi_5,
     .severity = Severity::Warning,
     .because = "Release 5 has PRRTE instead of ORTE and ignores variables of the latter; "
                "without hosts mpirun starts every rank where it is.",
     .fix = "set `PRTE_MCA_prte_default_hostfile` to `/etc/mpi/hostfile`, or pass `--hostfile`"},
};

}  // namespace

const std::span<const Check> mpi_lints = kChecks;

}  // namespace trainyard
