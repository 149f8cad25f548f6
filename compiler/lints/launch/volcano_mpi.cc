// MPI in a Volcano Job: hosts from the plugin `svc`, keys from the plugin `ssh`, and an end that
// the policies of the job must bring about.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/launch/file_text.h"
#include "lints/launch/mpi_hosts.h"
#include "lints/tables.h"
#include "lints/training/endless_program.h"
#include "manifest/launch.h"
#include "manifest/launches.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kFolder = "/etc/volcano/";
constexpr std::string_view kEnding = ".host";

bool is_volcano_job(const Workload& workload) {
  return workload.is("batch.volcano.sh", "Job");
}

/// Plugins of frameworks bring the other two along.
/// volcano-sh/volcano pkg/webhooks/admission/jobs/mutate/mutate_job.go patchDefaultPlugins
bool has_plugin(const Workload& workload, std::string_view name) {
  if (volcano_plugin(workload, name) || volcano_plugin(workload, "mpi")) return true;
  return name == "svc" && (volcano_plugin(workload, "tensorflow") ||
                           volcano_plugin(workload, "pytorch") || volcano_plugin(workload, "ray"));
}

/// `/etc/volcano/worker.host` in an argument.
struct HostFile {
  std::string_view task;
  WordView at;
};

std::vector<HostFile> host_files(View container) {
  std::vector<HostFile> found;
  for (View argument : arguments_of(container)) {
    const std::string_view text = string_of(argument);
    for (std::size_t at = text.find(kFolder); at != text.npos; at = text.find(kFolder, at + 1)) {
      const std::size_t begin = at + kFolder.size();
      const std::size_t end = text.find_first_not_of(
          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.", begin);
      const std::string_view file = text.substr(begin, end - begin);
      if (!file.ends_with(kEnding) || file.size() == kEnding.size()) continue;
      found.push_back({file.substr(0, file.size() - kEnding.size()),
                       WordView(argument, at, begin + file.size())});
    }
  }
  return found;
}

void host_file_of_task(const Workload& workload, CheckContext& context) {
  if (!is_volcano_job(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (!contains_text(container, kFolder)) continue;
      for (const HostFile& file : host_files(container)) {
        const std::string path = std::string(kFolder).append(file.task) + std::string(kEnding);
        if (role.pod.spec && mounted_path(role.pod, container, path)) continue;
        if (!has_plugin(workload, "svc")) {
          context.lint(file.at, "nothing writes " + shown(path) + ": the job has no plugin `svc`");
          return;
        }
        if (workload.role(file.task) != nullptr) continue;
        std::vector<std::string> tasks;
        for (const WorkloadRole& each : workload.roles) tasks.emplace_back(each.name);
        context.lint(file.at, "nothing writes " + shown(path) + ": the job has the tasks " +
                                  listed(tasks, "and"));
        return;
      }
    }
  }
}

/// Keys of the user's own: from a Secret, or made by the script.
bool has_own_keys(const WorkloadRole& role, View container) {
  if (contains_text(container, ".ssh") || contains_text(container, "ssh-keygen")) return true;
  return std::ranges::any_of(items_at(container, "volumeMounts"),
                             [](View mount) {
                               const std::string_view path = string_at(mount, "mountPath");
                               return path.find("ssh") != path.npos;
                             }) ||
         mounted_path(role.pod, container, "/root/.ssh/id_rsa").has_value();
}

void keys_of_job(const Workload& workload, CheckContext& context) {
  if (!is_volcano_job(workload) || workload.pods() < 2 || has_plugin(workload, "ssh")) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const Launch launch = mpi_launch_in(container, file_text(role, container, context));
      if (launch.channel != Channel::Ssh || has_own_keys(role, container)) continue;
      context.lint(launch.by,
                   "mpirun logs in to other pods over ssh, and the job has no plugin `ssh`, which "
                   "gives all pods a key");
      return;
    }
  }
}

/// The plugin mounts its keys for root unless it has another folder.
void keys_of_root(const Workload& workload, CheckContext& context) {
  if (!is_volcano_job(workload) || workload.pods() < 2) return;
  if (keys_of_operator(workload) != kKeysOfRoot) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const View user = other_user(role.pod, container);
      if (!user || mpi_launch_in(container).hosts.empty() || has_own_keys(role, container))
        continue;
      context.lint(user, "mpirun runs as user " + std::string(user->text) +
                             ", and the plugin `ssh` writes the keys to `/root/.ssh`");
    }
  }
}

/// horovod/horovod horovod/runner/launch.py: `-np N -H host:slots,...`, reached over ssh.
struct HorovodCall {
  OptionValue processes;
  OptionValue hosts;
  WordView at;
};

HorovodCall horovod_call(View container) {
  HorovodCall call;
  if (!contains_text(container, "horovodrun")) return call;
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (!call.at && program_name(text) == "horovodrun" && words[i].is_in_script) {
      call.at = words[i].at;
    }
    if (!call.at) continue;
    if (text == "\n") break;
    if (text == "-np" || text == "--num-proc") call.processes = value_at(words, i);
    if (text == "-H" || text == "--hosts") call.hosts = value_at(words, i);
  }
  return call;
}

void keys_of_horovod(const Workload& workload, CheckContext& context) {
  if (!is_volcano_job(workload) || workload.pods() < 2 || has_plugin(workload, "ssh")) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const HorovodCall call = horovod_call(container);
      if (!call.hosts || has_own_keys(role, container)) continue;
      context.lint(call.at,
                   "horovodrun logs in to other pods over ssh, and the job has no plugin `ssh`, "
                   "which gives all pods a key");
      return;
    }
  }
}

/// What a script keeps in a variable, up to the end of the line; "" for none.
std::string_view kept_in(std::string_view script, std::string_view variable) {
  for (std::string_view mark : {"${", "$", "\""}) {
    if (variable.starts_with(mark)) variable.remove_prefix(mark.size());
  }
  variable = variable.substr(0, variable.find('}'));
  const std::size_t at = script.find(std::string(variable) + "=");
  if (variable.empty() || at == script.npos) return {};
  const std::string_view rest = script.substr(at + variable.size() + 1);
  return rest.substr(0, rest.find_first_of(";\n"));
}

/// `HOSTS=$(cat /etc/volcano/worker.host | tr "\n" ",")` has no `:SLOTS` behind its hosts.
void hosts_of_horovod(const Workload& workload, CheckContext& context) {
  constexpr std::string_view kEnd = "s/$/:";
  if (!is_volcano_job(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const HorovodCall call = horovod_call(container);
      if (!call.hosts.text.starts_with('$')) continue;
      const std::string_view kept = kept_in(call.hosts.at->text, call.hosts.text);
      const std::size_t file = kept.find("/etc/volcano/");
      if (file == kept.npos) continue;
      const std::string_view task = kept.substr(file + 13, kept.find(".host") - file - 13);
      if (kept.find(':') == kept.npos && kept.find("awk") == kept.npos) {
        context.lint(call.hosts.at,
                     "the file that the plugin `svc` writes has no `:SLOTS` behind its hosts, and "
                     "horovodrun takes no host without");
        continue;
      }
      const std::size_t at = kept.find(kEnd);
      const WorkloadRole* hosts = workload.role(task);
      if (at == kept.npos || hosts == nullptr || hosts->pods > 10'000) continue;
      const std::size_t begin = at + kEnd.size();
      const auto slots = plain_number(kept.substr(begin, kept.find('/', begin) - begin));
      const auto number = call.processes.number();
      if (!slots || !number || *slots > 10'000 || *number <= *slots * hosts->pods) continue;
      context.lint(call.processes.at, std::to_string(hosts->pods) + " hosts with " +
                                          std::to_string(*slots) + " slots each are too few for " +
                                          std::to_string(*number) + " processes");
    }
  }
}

void keys(const Workload& workload, CheckContext& context) {
  keys_of_job(workload, context);
  keys_of_horovod(workload, context);
  keys_of_root(workload, context);
}

/// The only task whose hosts a launcher is given as the plugin writes them, one to a line.
const WorkloadRole* task_of_hosts(const Workload& workload, View container) {
  const std::vector<HostFile> files = host_files(container);
  const WorkloadRole* only = nullptr;
  for (const HostFile& file : files) {
    const WorkloadRole* role = workload.role(file.task);
    if (role == nullptr || (only != nullptr && only != role)) return nullptr;
    only = role;
  }
  // What puts slots beside the hosts.
  for (std::string_view sign : {"slots", "sed", "awk", ":", "while", "for ", "VC_"}) {
    if (only != nullptr && std::ranges::any_of(arguments_of(container), [&](View argument) {
          return string_of(argument).find(sign) != std::string_view::npos;
        })) {
      return nullptr;
    }
  }
  return only;
}

/// A host without a number has one slot: open-mpi/ompi docs/launching-apps/scheduling.rst
void slots_of_hosts(const Workload& workload, CheckContext& context) {
  if (!is_volcano_job(workload)) return;
  hosts_of_horovod(workload, context);
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const Launch launch = mpi_launch_in(container);
      if (launch.hosts.empty() || !launch.is_sure || launch.call->option("map-by")) continue;
      const auto number = launch.ranks.number();
      const WorkloadRole* hosts = number ? task_of_hosts(workload, container) : nullptr;
      if (hosts == nullptr || *number <= hosts->pods || may_oversubscribe(container)) continue;
      context
          .lint(launch.ranks.at, std::to_string(*number) +
                                     " processes, and the file of hosts has " +
                                     std::to_string(hosts->pods) + ", each with one slot")
          .also(context.place(hosts->count), "the pods of " + shown(hosts->name));
    }
  }
}

bool holds(View policy, std::string_view event) {
  const auto is = [&](View each) { return string_of(each) == event || string_of(each) == "*"; };
  return is(get(policy, "event")) || std::ranges::any_of(items_at(policy, "events"), is);
}

/// Whether a policy ends the job when a task is done, which cannot be `endless` itself.
bool ends_with_task(const Workload& workload, const WorkloadRole& endless) {
  const auto ends = [](View policy) {
    const std::string_view action = string_at(policy, "action");
    return holds(policy, "TaskCompleted") &&
           (action == "CompleteJob" || action == "TerminateJob" || action == "AbortJob");
  };
  if (std::ranges::any_of(items_at(workload.spec, "policies"), ends)) return true;
  return std::ranges::any_of(workload.roles, [&](const WorkloadRole& role) {
    return &role != &endless && std::ranges::any_of(items_at(role.holder, "policies"), ends);
  });
}

/// volcano-sh/volcano pkg/controllers/job/state/running.go: the job is completed when all pods are.
void end_of_job(const Workload& workload, CheckContext& context) {
  if (!is_volcano_job(workload) || workload.roles.size() < 2) return;
  const auto starts = [](const WorkloadRole& role) {
    return std::ranges::any_of(role.containers,
                               [](View each) { return mpirun_call(each) != nullptr; });
  };
  if (!std::ranges::any_of(workload.roles, starts)) return;
  for (const WorkloadRole& role : workload.roles) {
    if (starts(role) || ends_with_task(workload, role)) continue;
    for (View container : role.containers) {
      const View at = runs_for_good(container);
      if (!at) continue;
      context
          .lint(at, pods_of(role) + (role.pods == 1 ? " never ends" : " never end") +
                        " by itself, and no policy completes the job when mpirun has ended")
          .note(
              "`policies: [{event: TaskCompleted, action: CompleteJob}]` at the task with mpirun "
              "ends it");
      return;
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "volcano-host-file",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A file with the hosts of a task is that of a task of the Volcano Job, which has "
                 "the plugin `svc`.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins/svc/svc.go",
     .workload = host_file_of_task,
     .severity = Severity::Warning,
     .because = "The script reads a file that is not there, and mpirun gets no hosts.",
     .fix = "write `/etc/volcano/TASK.host` with the name of a task, and `svc: []` in `plugins`"},
    {.name = "volcano-ssh",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A Volcano Job whose mpirun or horovodrun goes to other pods has the plugin "
                 "`ssh`, with keys for "
                 "its user.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins/ssh/ssh.go",
     .workload = keys,
     .severity = Severity::Warning,
     .because = "The other pods know no key: mpirun ends with `Permission denied`.",
     .fix = "write `ssh: []` in `plugins`, and for another user than root "
            "`--ssh-key-file-path=HOME/.ssh`"},
    {.name = "volcano-mpi-slots",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "mpirun and horovodrun of a Volcano Job start no more processes than their hosts "
                 "have slots.",
     .source = "volcano-sh/volcano pkg/controllers/job/plugins/svc/svc.go; open-mpi/ompi "
               "docs/launching-apps/scheduling.rst",
     .workload = slots_of_hosts,
     .severity = Severity::Warning,
     .because = "A host without a number has one slot for mpirun, and none for horovodrun: it ends "
                "with an error.",
     .fix = "let `-np` be the pods of the task, or write `:N` behind each host"},
    {.name = "volcano-mpi-end",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "A Volcano Job ends when the task with mpirun does.",
     .source = "volcano-sh/volcano pkg/controllers/job/state/running.go",
     .workload = end_of_job,
     .severity = Severity::Warning,
     .because = "The pods with sshd run on, and keep their GPUs, as a Volcano Job completes when "
                "all its pods do.",
     .fix = "complete the job with the task that runs mpirun"},
};

}  // namespace

const std::span<const Check> volcano_mpi_lints = kChecks;

}  // namespace trainyard
