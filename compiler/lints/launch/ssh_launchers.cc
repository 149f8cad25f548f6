// Launchers that start processes in other pods over ssh, where none listens.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/launch/file_text.h"
#include "lints/tables.h"
#include "manifest/launches.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {

FileText file_text(const WorkloadRole& role, View container, CheckContext& context) {
  return [&role, &context, container](std::string_view path) {
    const auto mounted = role.pod.spec ? mounted_path(role.pod, container, path) : std::nullopt;
    const bool is_config_map = mounted && get(mounted->volume, "configMap");
    const Inventory* inventory = is_config_map ? context.inventory() : nullptr;
    return inventory == nullptr ? View() : config_map_text(*inventory, context.object(), *mounted);
  };
}

namespace {

/// Whether a container may run sshd: by a word, by a script of its image, or because the image says
/// what it runs.
bool may_listen(View container, const FileText& text_of) {
  constexpr auto signs = std::to_array<std::string_view>(
      {"sshd", "service ssh", "init.d/ssh", "dropbear", "systemctl"});
  if (!has_items(get(container, "command"))) return true;
  for (std::string_view sign : signs) {
    if (contains_text(container, sign)) return true;
  }
  return std::ranges::any_of(command_words(container), [&](const ShellWord& word) {
    if (!word.text.ends_with(".sh")) return word.text == "source" || word.text == ".";
    const std::string_view script = string_of(text_of(word.text));
    return script.empty() || std::ranges::any_of(signs, [script](std::string_view sign) {
             return script.find(sign) != script.npos;
           });
  });
}

bool may_any_listen(const Workload& workload, CheckContext& context) {
  return std::ranges::any_of(workload.roles, [&](const WorkloadRole& role) {
    if (!role.pod.spec || is_true(get(role.pod.spec, "hostNetwork"))) return true;
    return std::ranges::any_of(role.pod.containers, [&](const PodContainer& each) {
      return each.role != ContainerRole::Init &&
             may_listen(each.node, file_text(role, each.node, context));
    });
  });
}

/// Operators that give hosts, keys and listeners; Ray starts processes by its own agents.
bool is_served(const Workload& workload) {
  return workload.kind == "MPIJob" || workload.group == "ray.io" ||
         get(get(workload.spec, "mlPolicy"), "mpi");
}

void ssh_without_listener(const Workload& workload, CheckContext& context) {
  if (workload.pods() < 2 || is_served(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const std::vector<Launch> launches =
          launches_in(container, file_text(role, container, context));
      const auto launch = std::ranges::find_if(launches, &Launch::goes_over_ssh);
      if (launch == launches.end()) continue;
      if (may_any_listen(workload, context)) return;
      context.lint(launch->by, launch->what +
                                   " starts processes in other pods over ssh, and none "
                                   "of the pods runs sshd");
      return;
    }
  }
}

/// The only sshd that a container starts; an empty one for none, and for several.
Sshd only_sshd(View container) {
  const std::vector<Sshd> all = sshds_in(container);
  return all.size() == 1 ? all.front() : Sshd();
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
      const Sshd call = only_sshd(container);
      if (!call.at || call.stays || !call.is_last) continue;
      context.lint(call.at,
                   "sshd goes to the background, and the container ends with it: write `sshd -D`");
      return;
    }
  }
}

/// `sshd -D` without its folder: sshd starts itself again for each connection, and ends at once.
void sshd_without_path(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (!contains_text(container, "sshd")) continue;
      each_command(command_words(container), [&](std::span<const ShellWord> words) {
        const std::size_t at = program_before(words, words.size() - 1);
        if (at >= words.size() || words[at].text != "sshd") return;
        context.lint(words[at].at, "sshd ends at once: it must be started by its whole path");
      });
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
      const Sshd call = only_sshd(container);
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
     .sentence = "A container that ends with sshd keeps it in the foreground.",
     .source = "openssh/openssh-portable sshd.c: without `-D` it detaches",
     .workload = sshd_in_background,
     .severity = Severity::Warning,
     .because = "The container ends at once, and mpirun reaches no pod.",
     .fix = "start it by `/usr/sbin/sshd -D`"},
    {.name = "sshd-path",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "sshd is started by its whole path.",
     .source = "openssh/openssh-portable sshd.c: \"sshd requires execution with an absolute path\"",
     .workload = sshd_without_path,
     .severity = Severity::Warning,
     .because = "The container ends at once, and mpirun reaches no pod.",
     .fix = "write `/usr/sbin/sshd`"},
    {.name = "ssh-port",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
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
     .sentence = "A launcher that starts processes over ssh finds an sshd in the other pods.",
     .source = "deepspeedai/DeepSpeed deepspeed/launcher/runner.py, issues 2679, 1334 and 2958; "
               "huggingface/accelerate src/accelerate/utils/launch.py, issue 514; horovod/horovod "
               "horovod/runner/launch.py; hpcaitech/ColossalAI colossalai/cli/launcher/run.py",
     .workload = ssh_without_listener,
     .because = "Each pod starts the launcher, which asks the other pods for a login: no ssh "
                "listens there, no key is known, and the launcher ends.",
     .fix = "start each pod by torchrun, give deepspeed `--no_ssh --node_rank --master_addr` or "
            "accelerate `--deepspeed_multinode_launcher standard`, or use an MPIJob"},
};

}  // namespace

const std::span<const Check> ssh_launcher_lints = kChecks;

}  // namespace trainyard
