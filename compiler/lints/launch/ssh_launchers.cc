// Launchers that start processes in other pods over ssh, where none listens.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/embedded_yaml.h"
#include "manifest/launch.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What makes a launcher go over ssh.
struct SshStart {
  WordView at;
  std::string what;
};

/// What a file holds that a ConfigMap among the inputs mounts; an empty view where it is not known.
View held_text(const WorkloadRole& role, View container, std::string_view path,
               CheckContext& context) {
  const auto mounted = mounted_path(role.pod, container, path);
  const bool is_config_map = mounted && get(mounted->volume, "configMap");
  const Inventory* inventory = is_config_map ? context.inventory() : nullptr;
  return inventory == nullptr ? View() : config_map_text(*inventory, context.object(), *mounted);
}

bool is_local_host(std::string_view host) {
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host == "127.0.0.1";
}

/// Whether all hosts of `a:8,b:8`, or of lines of a file, are the pod itself.
bool are_all_local(std::string_view hosts, std::string_view between) {
  while (!hosts.empty()) {
    std::string_view one = hosts.substr(0, hosts.find_first_of(between));
    hosts.remove_prefix(std::min(one.size() + 1, hosts.size()));
    one = one.substr(0, one.find(' '));
    if (!one.empty() && !one.starts_with('#') && !is_local_host(one)) return false;
  }
  return true;
}

bool is_local_file(const WorkloadRole& role, View container, std::string_view path,
                   CheckContext& context) {
  const View text = held_text(role, container, path, context);
  return text && are_all_local(string_of(text), "\n");
}

/// deepspeedai/DeepSpeed deepspeed/launcher/runner.py: pdsh unless another launcher is named.
std::optional<SshStart> deepspeed_start(const WorkloadRole& role, View container,
                                        CheckContext& context) {
  const auto call = deepspeed_call(container);
  if (!call || call->option("no-ssh") || call->may_have_more) return std::nullopt;
  const std::string_view launcher = call->option("launcher").text;
  if (launcher == "slurm" || launcher == "SLURM" || launcher == "jsrun") return std::nullopt;
  OptionValue file = call->option("hostfile");
  if (!file) file = call->option("H");
  if (!file || is_local_file(role, container, file.text, context)) return std::nullopt;
  return SshStart{file.at, "deepspeed with `--hostfile`"};
}

/// open-mpi/ompi and pmodels/mpich start remote processes by ssh unless they are told otherwise.
std::optional<SshStart> mpirun_start(const WorkloadRole& role, View container,
                                     CheckContext& context) {
  const auto call = mpirun_call(container);
  if (!call || call->may_have_more || contains_text(container, "rsh_agent") ||
      contains_text(container, "kubexec")) {
    return std::nullopt;
  }
  for (std::string_view name : {"host", "H", "hosts"}) {
    const OptionValue& hosts = call->option(name);
    if (hosts && !are_all_local(hosts.text, ",")) return SshStart{hosts.at, "mpirun with hosts"};
  }
  for (std::string_view name : {"hostfile", "machinefile"}) {
    const OptionValue& file = call->option(name);
    if (file && !is_local_file(role, container, file.text, context)) {
      return SshStart{file.at, "mpirun with a file of hosts"};
    }
  }
  return std::nullopt;
}

/// `horovodrun -H a:4,b:4`, `colossalai run --host a,b`, `pdsh -w a,b`.
std::optional<SshStart> other_start(View container) {
  constexpr auto kPrograms = std::to_array<std::string_view>({"horovodrun", "colossalai", "pdsh"});
  const bool any = std::ranges::any_of(
      kPrograms, [&](std::string_view name) { return contains_text(container, name); });
  if (!any) return std::nullopt;
  const ShellWords words = command_words(container);
  std::string_view program;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at].text;
    if (word == "\n") program = {};
    if (std::ranges::find(kPrograms, word) != kPrograms.end()) program = word;
    if (program.empty()) continue;
    const std::string_view name = word.substr(0, word.find('='));
    const bool lists =
        program == "pdsh" ? name == "-w" : name == "-H" || name == "--hosts" || name == "--host";
    if (!lists && name != "--hostfile" && name != "-hostfile") continue;
    const OptionValue value = value_at(words, at);
    if (lists && are_all_local(value.text, ",")) continue;
    return SshStart{words[at].at, std::string(program) + " with hosts"};
  }
  return std::nullopt;
}

/// What the line and the file of accelerate say about DeepSpeed.
struct Deepspeed {
  WordView at;  // empty where DeepSpeed is not asked for
  bool is_known = true;
  bool by_several = false;  // machines
  std::string launcher;
};

void read_accelerate_file(View text, Deepspeed& told) {
  const TextYaml file(text);
  const View root = file.root();
  told.is_known = static_cast<bool>(root);
  if (string_at(root, "distributed_type") == "DEEPSPEED" && !told.at) told.at = text;
  told.by_several = told.by_several || integer_at(root, "num_machines").value_or(1) > 1;
  const View own = get(root, "deepspeed_config");
  if (told.launcher.empty()) told.launcher = string_at(own, "deepspeed_multinode_launcher");
}

/// huggingface/accelerate src/accelerate/utils/launch.py prepare_deepspeed_cmd_env
std::optional<SshStart> accelerate_start(const WorkloadRole& role, View container,
                                         CheckContext& context) {
  const auto call = accelerate_call(container);
  if (!call || call->may_have_more) return std::nullopt;
  const OptionValue& machines = call->option("num-machines");
  Deepspeed told;
  told.at = call->option("use-deepspeed").at;
  told.by_several = machines.number().value_or(1) > 1 || machines.text.starts_with('$');
  told.launcher = call->option("deepspeed-multinode-launcher").text;
  if (const OptionValue& file = call->option("config-file")) {
    const WordView place = told.at;
    read_accelerate_file(held_text(role, container, file.text, context), told);
    if (!place && told.at) told.at = file.at;
  }
  if (!told.at || !told.is_known || !told.by_several || told.launcher == "standard") {
    return std::nullopt;
  }
  return SshStart{told.at,
                  "accelerate with DeepSpeed on several machines, without "
                  "`--deepspeed_multinode_launcher standard`,"};
}

std::optional<SshStart> ssh_start(const WorkloadRole& role, View container, CheckContext& context) {
  if (const auto found = deepspeed_start(role, container, context)) return found;
  if (const auto found = mpirun_start(role, container, context)) return found;
  if (const auto found = accelerate_start(role, container, context)) return found;
  return other_start(container);
}

/// Whether a container may run sshd: by a word, by a script of its image, or because the image says
/// what it runs.
bool may_listen(View container) {
  if (!has_items(get(container, "command"))) return true;
  for (std::string_view sign : {"sshd", "service ssh", "init.d/ssh", "dropbear", "systemctl"}) {
    if (contains_text(container, sign)) return true;
  }
  return std::ranges::any_of(command_words(container), [](const ShellWord& word) {
    return word.text.ends_with(".sh") || word.text == "source" || word.text == ".";
  });
}

bool may_any_listen(const Workload& workload) {
  return std::ranges::any_of(workload.roles, [](const WorkloadRole& role) {
    if (!role.pod.spec || is_true(get(role.pod.spec, "hostNetwork"))) return true;
    return std::ranges::any_of(role.pod.containers, [](const PodContainer& each) {
      return each.role != ContainerRole::Init && may_listen(each.node);
    });
  });
}

/// Operators that give hosts, keys and listeners; Ray starts processes by its own agents.
bool is_served(const Workload& workload) {
  return workload.kind == "MPIJob" || workload.group == "ray.io" ||
         get(get(workload.spec, "mlPolicy"), "mpi");
}

void ssh_without_listener(const Workload& workload, CheckContext& context) {
  if (workload.pods() < 2 || is_served(workload) || may_any_listen(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto start = ssh_start(role, container, context);
      if (!start) continue;
      context.lint(start->at, start->what +
                                  " starts processes in other pods over ssh, and none "
                                  "of the pods runs sshd");
      return;
    }
  }
}

/// A call of sshd in a container; an empty one for none, or for several.
struct SshdCall {
  WordView at;
  std::optional<std::int64_t> port;
  bool stays = false;    // `-D`
  bool is_last = false;  // command of the container
};

SshdCall sshd_call(View container) {
  SshdCall found;
  if (!contains_text(container, "sshd")) return found;
  const ShellWords words = command_words(container);
  int calls = 0;
  each_command(words, [&](std::span<const ShellWord> command) {
    found.is_last = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
      if (program_name(command[i].text) != "sshd" || program_before(command, i) != i) continue;
      ++calls;
      found.at = command[i].at;
      found.is_last = true;
      found.port.reset();
      for (std::size_t k = i + 1; k < command.size(); ++k) {
        const std::string_view word = command[k].text;
        if (word == "-p") found.port = value_at(command, k).number();
        if (word.starts_with("-oPort=")) found.port = plain_number(word.substr(7));
        const bool is_flags =
            word.starts_with('-') && word.find_first_not_of("46DdeiqtT", 1) == word.npos;
        found.stays = found.stays || (is_flags && word.find_first_of("Ddi") != word.npos);
      }
    }
  });
  return calls == 1 ? found : SshdCall();
}

bool is_mpi_role(const WorkloadRole& role) {
  return std::ranges::any_of(role.containers,
                             [](View each) { return mpirun_call(each) != nullptr; });
}

/// A pod whose only program goes to the background ends at once.
void sshd_in_background(const Workload& workload, CheckContext& context) {
  if (workload.pods() < 2 || std::ranges::none_of(workload.roles, is_mpi_role)) return;
  for (const WorkloadRole& role : workload.roles) {
    if (is_mpi_role(role)) continue;
    for (View container : role.containers) {
      const SshdCall call = sshd_call(container);
      if (!call.at || call.stays || !call.is_last) continue;
      context.lint(call.at,
                   "sshd goes to the background, and the container ends with it: write `sshd -D`");
      return;
    }
  }
}

/// Whether a launcher says at which port sshd listens, or may.
bool speaks_of_port(View container, std::int64_t port) {
  const std::string number = std::to_string(port);
  const auto has = [&](std::string_view text) { return text.find(number) != text.npos; };
  return std::ranges::any_of(command_words(container),
                             [&](const ShellWord& word) {
                               return has(word.text) || word.text.ends_with(".sh") ||
                                      word.text.find("ssh_config") != std::string_view::npos ||
                                      word.text.find(".ssh") != std::string_view::npos;
                             }) ||
         std::ranges::any_of(items_at(container, "env"),
                             [&](View each) { return has(string_at(each, "value")); });
}

/// Images for an MPIJob may have the port in their own configuration of ssh, as those of the
/// operator do: kubeflow/mpi-operator build/base/Dockerfile.
void port_of_sshd(const Workload& workload, CheckContext& context) {
  if (workload.pods() < 2 || workload.kind == "MPIJob") return;
  const auto launcher = std::ranges::find_if(workload.roles, is_mpi_role);
  if (launcher == workload.roles.end()) return;
  for (const WorkloadRole& role : workload.roles) {
    if (&role == &*launcher) continue;
    for (View container : role.containers) {
      const SshdCall call = sshd_call(container);
      if (!call.port || *call.port == 22) continue;
      const bool is_told = std::ranges::any_of(launcher->containers, [&](View each) {
        return speaks_of_port(each, *call.port) || !has_items(get(each, "command"));
      });
      if (is_told) continue;
      context.lint(call.at, "sshd listens at " + std::to_string(*call.port) +
                                ", and nothing tells mpirun, which goes to 22");
      return;
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "sshd-in-background",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "A container that ends with sshd keeps it in the foreground.",
     .source = "openssh/openssh-portable sshd.c: without `-D` it detaches",
     .workload = sshd_in_background,
     .severity = Severity::Warning,
     .because = "The container ends at once, and mpirun reaches no pod.",
     .fix = "start it by `/usr/sbin/sshd -D`"},
    {.name = "ssh-port",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "A launcher goes to the port at which sshd listens in the other pods.",
     .source = "openssh/openssh-portable sshd.c; open-mpi/ompi docs/launching-apps/ssh.rst: "
               "`plm_rsh_args`",
     .workload = port_of_sshd,
     .severity = Severity::Warning,
     .because = "The launcher is refused, and the job ends.",
     .fix = "let sshd listen at 22, or write `--mca plm_rsh_args \"-p PORT\"`"},
    {.name = "ssh-without-listener",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "A launcher that starts processes over ssh finds an sshd in the other pods.",
     .source = "deepspeedai/DeepSpeed deepspeed/launcher/runner.py, issues 2679, 1334 and 2958; "
               "huggingface/accelerate src/accelerate/utils/launch.py, issue 514; horovod/horovod "
               "horovod/runner/launch.py; hpcaitech/ColossalAI colossalai/cli/launcher/run.py",
     .workload = ssh_without_listener,
     .severity = Severity::Error,
     .because = "Each pod starts the launcher, which asks the other pods for a login: no ssh "
                "listens there, no key is known, and the launcher ends.",
     .fix = "start each pod by torchrun, give deepspeed `--no_ssh --node_rank --master_addr` or "
            "accelerate `--deepspeed_multinode_launcher standard`, or use an MPIJob"},
};

}  // namespace

const std::span<const Check> ssh_launcher_lints = kChecks;

}  // namespace trainyard
