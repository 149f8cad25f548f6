#include "manifest/launches.h"

#include <algorithm>
#include <array>
#include <span>

#include "manifest/embedded_yaml.h"
#include "manifest/launch.h"
#include "manifest/pod_security.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_local_host(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1";
}

/// `a:4,b:4`
std::vector<LaunchHost> listed_hosts(std::string_view list) {
  std::vector<LaunchHost> hosts;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    const std::size_t colon = std::min(one.find(':'), one.size());
    const std::string_view slots = one.substr(std::min(colon + 1, one.size()));
    if (colon > 0) hosts.push_back({std::string(one.substr(0, colon)), plain_number(slots)});
  }
  return hosts;
}

/// Lines of `a slots=4`, or `a:4`.
std::vector<LaunchHost> hosts_of_file(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<LaunchHost> hosts;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty()) continue;
    std::vector<LaunchHost> named = listed_hosts(line.substr(0, line.find_first_of(kBlanks)));
    if (named.empty()) continue;
    constexpr std::string_view kSlots = " slots=";
    if (const std::size_t at = line.find(kSlots); at != line.npos) {
      const std::string_view rest = line.substr(at + kSlots.size());
      named.front().slots = plain_number(rest.substr(0, rest.find_first_of(kBlanks)));
    }
    hosts.push_back(std::move(named.front()));
  }
  return hosts;
}

/// How a launcher gets hosts: options of its line.
struct HostOptions {
  std::span<const std::string_view> lists;
  std::span<const std::string_view> files;
};

using Call = std::shared_ptr<const LauncherCall>;

/// A launcher with the hosts that its line says, over ssh to them.
Launch with_hosts(const Call& call, std::string_view program, const HostOptions& options,
                  const FileText& text_of) {
  Launch launch{.program = program, .what = std::string(program), .by = call->at, .call = call};
  for (std::string_view name : options.lists) {
    const OptionValue& told = call->option(name);
    if (!told) continue;
    launch.hosts.push_back({told, false, {}, listed_hosts(told.text)});
    launch.what = std::string(program) + " with hosts";
  }
  for (std::string_view name : options.files) {
    const OptionValue& told = call->option(name);
    if (!told) continue;
    const View text = text_of ? text_of(told.text) : View();
    launch.hosts.push_back({told, true, text, hosts_of_file(string_of(text))});
    launch.what = std::string(program) + " with a file of hosts";
  }
  const auto elsewhere = std::ranges::find_if_not(launch.hosts, &LaunchHosts::are_local);
  if (elsewhere == launch.hosts.end()) return launch;
  launch.channel = Channel::Ssh;
  launch.is_sure = !call->may_have_more;
  launch.by = elsewhere->told.at;
  return launch;
}

// open-mpi/ompi ompi/tools/mpirun; pmodels/mpich src/pm/hydra/mpiexec/options.c
constexpr auto kMpiLists = std::to_array<std::string_view>({"host", "H", "hosts"});
constexpr auto kMpiFiles = std::to_array<std::string_view>({"hostfile", "machinefile", "f"});
// Words that both know, such as `-n` and `-host`, say nothing.
constexpr auto kOfOpenMpi = std::to_array<std::string_view>(
    {"allow-run-as-root", "x", "mca", "bind-to-core", "report-bindings", "tag-output",
     "display-map", "oversubscribe", "prtemca", "mca-base-env-list"});
constexpr auto kOfHydra = std::to_array<std::string_view>(
    {"genv", "genvall", "genvlist", "genvnone", "ppn", "perhost", "f", "hosts", "iface",
     "print-rank-map", "bootstrap", "launcher"});

/// The first word of a call that only one MPI knows.
void read_mpi(View container, Launch& launch) {
  const ShellWords words = command_words(container);
  const auto is = [&](const ShellWord& word, Mpi mpi) {
    if (launch.mpi != Mpi::Any) return;
    launch.mpi = mpi;
    launch.mpi_word = word.at;
  };
  const auto knows = [](std::span<const std::string_view> names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const auto is_call = [&](const ShellWord& word) {
    return word.at.is_at(launch.call->at) && word.at.begin == launch.call->at.begin;
  };
  auto word = std::ranges::find_if(words, is_call);
  if (word == words.end()) return;
  const std::string_view program = program_name(word->text);
  if (program.ends_with(".hydra")) is(*word, Mpi::Hydra);
  if (program == "orterun" || program == "prterun") is(*word, Mpi::Open);
  for (const auto& [name, value] : launch.call->options) {
    word =
        std::find_if(word + 1, words.end(), [&, option = std::string_view(name)](const auto& each) {
          return each.text.starts_with('-') && kebab_name(each.text) == option;
        });
    if (word == words.end()) return;
    if (knows(kOfOpenMpi, name)) is(*word, Mpi::Open);
    if (knows(kOfHydra, name)) is(*word, Mpi::Hydra);
  }
}

/// deepspeedai/DeepSpeed deepspeed/launcher/runner.py: pdsh unless another launcher is named.
Launch deepspeed_launch(View container, const FileText& text_of) {
  constexpr auto files = std::to_array<std::string_view>({"hostfile", "H"});
  const Call call = deepspeed_call(container);
  if (!call) return {};
  Launch launch = with_hosts(call, "deepspeed", {{}, files}, text_of);
  if (!launch.hosts.empty()) launch.what = "deepspeed with `--hostfile`";
  const std::string_view by = call->option("launcher").text;
  const bool in_each = call->option("no-ssh") || by == "slurm" || by == "SLURM" || by == "jsrun";
  if (in_each) launch.channel = Channel::Agent;
  return launch;
}

/// horovod/horovod horovod/runner/launch.py; hpcaitech/ColossalAI colossalai/cli/launcher/run.py;
/// chaos/pdsh src/pdsh/opt.c
Launch listed_launch(const Call& call, std::string_view program,
                     std::span<const std::string_view> lists, const FileText& text_of) {
  constexpr auto files = std::to_array<std::string_view>({"hostfile"});
  if (!call) return {};
  Launch launch = with_hosts(call, program, {lists, files}, text_of);
  launch.is_sure = true;  // no option of it changes the way
  return launch;
}

/// What accelerate knows of DeepSpeed, by its line and by its file.
/// huggingface/accelerate src/accelerate/utils/launch.py prepare_deepspeed_cmd_env
Launch accelerate_launch(View container, const FileText& text_of) {
  const Call call = accelerate_call(container);
  if (!call) return {};
  Launch launch{.program = "accelerate", .channel = Channel::Agent, .call = call};
  launch.is_sure = !call->may_have_more;
  launch.what =
      "accelerate with DeepSpeed on several machines, without "
      "`--deepspeed_multinode_launcher standard`,";
  launch.by = call->option("use-deepspeed").at;
  const OptionValue& machines = call->option("num-machines");
  bool by_several = machines.number().value_or(1) > 1 || machines.text.starts_with('$');
  std::string launcher = call->option("deepspeed-multinode-launcher").text;
  bool is_known = true;
  if (const OptionValue& file = call->option("config-file")) {
    const TextYaml yaml(text_of ? text_of(file.text) : View());
    const View root = yaml.root();
    is_known = static_cast<bool>(root);
    if (!launch.by && string_at(root, "distributed_type") == "DEEPSPEED") launch.by = file.at;
    by_several = by_several || integer_at(root, "num_machines").value_or(1) > 1;
    const View own = get(get(root, "deepspeed_config"), "deepspeed_multinode_launcher");
    if (launcher.empty()) launcher = string_of(own);
  }
  if (launch.by && is_known && by_several && launcher != "standard") launch.channel = Channel::Ssh;
  return launch;
}

/// Programs that ask the API server for their peers, or for pods to work in.
struct ApiProgram {
  std::string_view program;
  std::string_view sign;
  std::string_view what;
};
// jax-ml/jax jax/_src/clusters/k8s_cluster.py; apache/spark docs/running-on-kubernetes.md;
// dask/dask-kubernetes dask_kubernetes/operator/kubecluster
constexpr auto kApiPrograms = std::to_array<ApiProgram>({
    {"jax", "jax.distributed.initialize()", "`jax.distributed.initialize()`"},
    {"spark", "k8s://", "Spark with a master `k8s://`"},
    {"dask", "dask_kubernetes", "`dask_kubernetes`"},
});

/// By another launcher, or on TPUs, JAX finds its peers elsewhere (jax-ml/jax jax/_src/clusters).
bool is_told_of_peers(View container) {
  return mpirun_call(container) || contains_text(container, "srun") ||
         variable(container, "TPU_WORKER_ID") ||
         get(get(get(container, "resources"), "limits"), "google.com/tpu");
}

Launch api_launch(View container) {
  for (const ApiProgram& each : kApiPrograms) {
    if (!contains_text(container, each.sign)) continue;
    if (each.program == "jax" && is_told_of_peers(container)) continue;
    Launch launch{.program = each.program, .what = std::string(each.what), .channel = Channel::Api};
    any_argument(container, [&](View argument) {
      if (argument->text.find(each.sign) == argument->text.npos) return false;
      launch.by = argument;
      return true;
    });
    return launch;
  }
  return {};
}

}  // namespace

bool LaunchHosts::are_local() const {
  return (text || !each.empty()) && std::ranges::all_of(each, is_local_host, &LaunchHost::name);
}

/// open-mpi/ompi and pmodels/mpich start remote processes by ssh unless options say otherwise.
Launch mpi_launch_in(View container, const FileText& text_of) {
  const Call call = mpirun_call(container);
  if (!call) return {};
  Launch launch = with_hosts(call, "mpirun", {kMpiLists, kMpiFiles}, text_of);
  launch.ranks = call->option(call->option("np") ? "np" : "n");
  read_mpi(container, launch);
  if (launch.channel == Channel::Ssh && contains_text(container, "kubexec")) {
    launch.channel = Channel::Api;
  } else if (launch.channel == Channel::Ssh && contains_text(container, "rsh_agent")) {
    launch.channel = Channel::Agent;
  }
  return launch;
}

std::vector<Launch> launches_in(View container, const FileText& text_of) {
  constexpr auto hosts = std::to_array<std::string_view>({"H", "hosts", "host"});
  constexpr auto targets = std::to_array<std::string_view>({"w"});
  std::vector<Launch> launches;
  const auto add = [&launches](Launch launch) {
    if (launch) launches.push_back(std::move(launch));
  };
  add(deepspeed_launch(container, text_of));
  add(mpi_launch_in(container, text_of));
  add(accelerate_launch(container, text_of));
  add(listed_launch(horovodrun_call(container), "horovodrun", hosts, text_of));
  add(listed_launch(colossalai_call(container), "colossalai", hosts, text_of));
  add(listed_launch(pdsh_call(container), "pdsh", targets, text_of));
  add(api_launch(container));
  return launches;
}

bool is_mpi_job_over_ssh(const Workload& workload) {
  return workload.kind == "MPIJob" &&
         string_at(workload.object, "apiVersion") == "kubeflow.org/v2beta1";
}

Mpi mpi_of_operator(View holder) {
  const std::string_view word = string_at(holder, "mpiImplementation");
  return word.empty() || word == "OpenMPI" ? Mpi::Open : Mpi::Hydra;
}

std::string_view keys_of_operator(const Workload& workload) {
  const auto or_of_root = [](std::string_view path) { return path.empty() ? kKeysOfRoot : path; };
  if (is_mpi_job_over_ssh(workload)) {
    return or_of_root(string_at(workload.spec, "sshAuthMountPath"));
  }
  if (workload.kind.ends_with("TrainingRuntime")) {
    const View policy = get(get(workload.spec, "mlPolicy"), "mpi");
    return policy ? or_of_root(string_at(policy, "sshAuthMountPath")) : std::string_view();
  }
  const View plugin = volcano_plugin(workload, "ssh");
  return plugin ? or_of_root(plugin_flag(plugin, "ssh-key-file-path")) : std::string_view();
}

View other_user(const Pod& pod, View container) {
  const View user = security_of(pod, container, "runAsUser");
  return integer_of(user).value_or(0) == 0 ? View() : user;
}

namespace {

bool is_ssh_service(std::string_view name) {
  return name == "ssh" || name == "sshd";
}

/// `service ssh start`, `/etc/init.d/ssh start`
bool starts_service(std::span<const ShellWord> words, std::size_t at) {
  const std::string_view word = words[at].text;
  if (word.starts_with("/etc/init.d/")) return is_ssh_service(program_name(word));
  return word == "service" && at + 1 < words.size() && is_ssh_service(words[at + 1].text);
}

/// openssh/openssh-portable sshd.8: `-p 22`, `-p22`, `-oPort=22`, `-o Port=22`; a file by `-f`.
void read_options(std::span<const ShellWord> words, Sshd& sshd) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i].text;
    const bool is_flags =
        word.starts_with('-') && word.find_first_not_of("46DdeiqtT", 1) == word.npos;
    sshd.stays = sshd.stays || (is_flags && word.find_first_of("Ddi") != word.npos);
    if (word.starts_with("-f")) sshd.port.reset();
    if (word.starts_with("-o")) word.remove_prefix(2);
    if (word.starts_with("Port=")) sshd.port = plain_number(word.substr(5));
    if (word == "-p") sshd.port = value_at(words, i).number();
    if (word.starts_with("-p") && word.size() > 2) sshd.port = plain_number(word.substr(2));
  }
}

}  // namespace

std::vector<Sshd> sshds_in(View container) {
  std::vector<Sshd> sshds;
  if (!contains_text(container, "ssh")) return sshds;
  const ShellWords all = command_words(container);
  const bool changes_file = std::ranges::any_of(all, [](const ShellWord& word) {
    return word.text.find("sshd_config") != word.text.npos ||
           word.text.find("sshd.conf") != word.text.npos;
  });
  each_command(all, [&](std::span<const ShellWord> words) {
    for (Sshd& each : sshds) each.is_last = false;
    for (std::size_t at = 0; at < words.size(); ++at) {
      const bool by_service = starts_service(words, at);
      const bool is_sshd =
          program_name(words[at].text) == "sshd" && program_before(words, at) == at;
      if (!by_service && !is_sshd) continue;
      Sshd& sshd = sshds.emplace_back(Sshd{.at = words[at].at, .is_last = true});
      if (!changes_file) sshd.port = 22;
      if (is_sshd) read_options(words.subspan(at + 1), sshd);
      break;
    }
  });
  return sshds;
}

}  // namespace trainyard
