#include "manifest/bare_launchers.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "diag/words.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Names = std::span<const std::string_view>;

/// How a launcher is started, and what tells it of other nodes: an option on its line, or a
/// variable. Started bare on several nodes, each of these trains alone.
struct LauncherRow {
  std::string_view program;
  std::string_view command;  // the word behind the program; "" for any
  std::string_view module;   // what `python -m` names; "" for none
  Names options;             // in kebab-case
  Names variables;
  std::string_view lacks;              // what it is given usually
  bool has_hosts_of_operator = false;  // in an MPIJob, which sets what mpirun reads
};

template <std::size_t N>
using Words = std::array<std::string_view, N>;

// huggingface/accelerate src/accelerate/commands/launch.py, utils/launch.py: with one machine and
// several GPUs it calls torchrun, which reads PET_NNODES; its file may state machines
constexpr Words<5> kAccelerateOptions{"num-machines", "config-file", "machine-rank",
                                      "main-process-ip", "deepspeed-hostfile"};
// deepspeedai/DeepSpeed deepspeed/launcher/runner.py
constexpr Words<3> kDeepspeedOptions{"hostfile", "H", "no-ssh"};
// open-mpi/ompi, openpmix/prrte and pmodels/mpich: hosts; else all slots are here
constexpr Words<7> kMpirunOptions{"host", "H", "hosts", "hostfile", "machinefile", "f", "rankfile"};
constexpr Words<4> kMpirunVariables{"OMPI_MCA_orte_default_hostfile",
                                    "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE",
                                    "I_MPI_HYDRA_HOST_FILE"};
// horovod/horovod horovod/runner/launch.py: without hosts `localhost`
constexpr Words<6> kHorovodOptions{"H",      "hosts", "hostfile", "host-discovery-script",
                                   "min-np", "max-np"};
// hpcaitech/ColossalAI colossalai/cli/launcher/run.py
constexpr Words<6> kColossalOptions{"host",        "H",         "hostfile",
                                    "master-addr", "num-nodes", "extra-launch-args"};
// Lightning-AI/pytorch-lightning src/lightning/fabric/cli.py: `--num-nodes` is 1
constexpr Words<2> kLightningOptions{"num-nodes", "node-rank"};
// PaddlePaddle/Paddle python/paddle/distributed/launch/context/args_envs.py
constexpr Words<3> kPaddleOptions{"nnodes", "master", "ips"};
constexpr Words<3> kPaddleVariables{"PADDLE_NNODES", "PADDLE_MASTER",
                                    "DISTRIBUTED_TRAINER_ENDPOINTS"};
// mosaicml/composer composer/cli/launcher.py
constexpr Words<3> kComposerOptions{"world-size", "node-rank", "master-addr"};
constexpr Words<1> kComposerVariables{"WORLD_SIZE"};
// meta-pytorch/torchtune torchtune/_cli/run.py: torchrun, but alone unless an endpoint is named;
// without any option no torchrun at all, whatever its variables say
constexpr Words<1> kTuneOptions{"rdzv-endpoint"};
constexpr Words<1> kTuneVariables{"PET_RDZV_ENDPOINT"};
constexpr Words<1> kTorchrunVariables{"PET_NNODES"};
// axolotl-ai-cloud/axolotl src/axolotl/cli/utils/train.py: `accelerate launch`, or torchrun
constexpr Words<5> kAxolotlOptions{"num-machines", "launcher", "nnodes", "rdzv-endpoint",
                                   "main-process-ip"};
// hiyouga/LLaMA-Factory src/llamafactory/launcher.py; modelscope/ms-swift swift/cli/main.py
constexpr Words<1> kNnodes{"NNODES"};

constexpr LauncherRow kLaunchers[] = {
    {"accelerate", "launch", "accelerate.commands.launch", kAccelerateOptions, kTorchrunVariables,
     "`--num_machines`"},
    {"deepspeed", "", "deepspeed.launcher.runner", kDeepspeedOptions, {}, "a file of hosts"},
    {"mpirun", "", "", kMpirunOptions, kMpirunVariables, "hosts", true},
    {"mpiexec", "", "", kMpirunOptions, kMpirunVariables, "hosts", true},
    {"horovodrun", "", "", kHorovodOptions, {}, "hosts"},
    {"colossalai", "run", "", kColossalOptions, {}, "hosts"},
    {"fabric", "run", "lightning.fabric.cli", kLightningOptions, {}, "`--num-nodes`"},
    {"lightning", "run", "", kLightningOptions, {}, "`--num-nodes`"},
    {"", "", "paddle.distributed.launch", kPaddleOptions, kPaddleVariables, "`--nnodes`"},
    {"composer", "", "composer.cli.launcher", kComposerOptions, kComposerVariables,
     "`--world_size`"},
    {"tune", "run", "", kTuneOptions, kTuneVariables, "`--rdzv_endpoint`"},
    {"axolotl", "train", "axolotl.cli.train", kAxolotlOptions, kTorchrunVariables,
     "`--num-machines`"},
    {"llamafactory-cli", "train", "", {}, kNnodes, "`NNODES`"},
    {"swift", "sft", "swift.cli.main", {}, kNnodes, "`NNODES`"},
    {"swift", "pt", "", {}, kNnodes, "`NNODES`"},
    {"swift", "rlhf", "", {}, kNnodes, "`NNODES`"},
};

bool is_module(std::span<const ShellWord> words, std::size_t at) {
  return at > 1 && words[at - 1].text == "-m" &&
         program_name(words[at - 2].text).starts_with("python");
}

/// Where the options begin of a launcher that starts with the word at `at`; 0 for another word.
std::size_t options_of(const LauncherRow& row, std::span<const ShellWord> words, std::size_t at) {
  const std::string_view word = words[at].text;
  if (!row.module.empty() && word == row.module && is_module(words, at)) return at + 1;
  if (row.program.empty() || program_name(word) != row.program || program_before(words, at) != at)
    return 0;
  if (row.command.empty()) return at + 1;
  return at + 1 < words.size() && words[at + 1].text == row.command ? at + 2 : 0;
}

/// What the command line gives a row's launcher.
struct Line {
  bool is_told = false;
  bool may_have_more = false;
  bool asks_for_several = false;  // processes, of accelerate
  bool is_for_one = false;        // nodes, whatever else it says
};

/// The value of the option at `at`, if it is known.
std::string_view value_of(std::span<const ShellWord> words, std::size_t at) {
  const std::string_view word = words[at].text;
  const std::size_t equals = word.find('=');
  if (equals != word.npos) return word.substr(equals + 1);
  return at + 1 < words.size() ? std::string_view(words[at + 1].text) : std::string_view();
}

/// `--nnodes=1` of axolotl goes to torchrun, and `fabric run` has no other count. That of
/// accelerate leaves room for torchrun's variables.
bool is_for_one(const LauncherRow& row, std::span<const ShellWord> words, std::size_t at,
                std::string_view name) {
  const bool counts = row.program == "axolotl"
                          ? name == "nnodes"
                          : row.options.data() == kLightningOptions.data() && name == "num-nodes";
  return counts && value_of(words, at) == "1";
}

/// `--num-processes 1` starts one as well.
bool asks_for_several(std::span<const ShellWord> words, std::size_t at, std::string_view name) {
  if (name != "num-processes") return name == "multi-gpu";
  const std::string_view value = value_of(words, at);
  return !value.empty() && value != "1";
}

Line line_of(const LauncherRow& row, std::span<const ShellWord> words, std::size_t at) {
  Line line;
  for (; at < words.size() && words[at].text != "\n"; ++at) {
    const std::string_view word = words[at].text;
    if (asks_about_itself(word)) line.is_told = true;
    if (word.starts_with('$') || word.starts_with('`')) line.may_have_more = true;
    if (!word.starts_with('-')) continue;
    const std::string name = kebab_name(word);
    line.is_told = line.is_told || std::ranges::find(row.options, name) != row.options.end();
    line.asks_for_several = line.asks_for_several || asks_for_several(words, at, name);
    line.is_for_one = line.is_for_one || is_for_one(row, words, at, name);
  }
  return line;
}

/// accelerate with one GPU starts the program itself, and torchrun's variables lead nowhere.
bool reads_variables(const LauncherRow& row, const WorkloadRole& role) {
  return row.program != "accelerate" || role.devices.whole != 1;
}

/// With one GPU at most accelerate starts one process, which is a rank by these variables. For
/// several it sets an address of its own (huggingface/accelerate src/accelerate/state.py,
/// utils/launch.py).
bool is_a_rank(const LauncherRow& row, const Line& line, const WorkloadRole& role, View container) {
  return row.program == "accelerate" && !line.asks_for_several && role.devices.whole <= 1 &&
         variable(container, "RANK") && variable(container, "LOCAL_RANK");
}

/// Trainer gives `tune run` all options of torchrun where that is the whole command
/// (kubeflow/trainer pkg/runtime/framework/plugins/torch/torchtune.go).
bool is_told_by_trainer(const LauncherRow& row, const Workload& workload, View container) {
  if (row.program != "tune") return false;
  if (workload.kind != "TrainJob" && !workload.kind.ends_with("TrainingRuntime")) return false;
  const View command = get(container, "command");
  return !command || command->size == 2;
}

bool is_told_by_variable(const LauncherRow& row, const Workload& workload, const WorkloadRole& role,
                         View container) {
  if (!row.variables.empty() && has_items(get(container, "envFrom"))) return true;
  if (!reads_variables(row, role)) return false;
  return std::ranges::any_of(row.variables, [&](std::string_view name) {
    return variable(container, name) || is_injected(workload, role, container, name) ||
           script_sets(container, name);
  });
}

/// Whether a file on a volume may tell a launcher of others: that of accelerate in its cache, and
/// the one that DeepSpeed looks for.
bool may_have_file(const LauncherRow& row, View container) {
  const bool is_accelerate = row.program == "accelerate" || row.program == "axolotl";
  if (is_accelerate && (variable(container, "HF_HOME") || contains_text(container, "config"))) {
    return true;
  }
  return std::ranges::any_of(items_at(container, "volumeMounts"), [&](View mount) {
    const std::string_view path = string_at(mount, "mountPath");
    if (row.program == "deepspeed") return path.starts_with("/job");
    return is_accelerate &&
           (path == "/root" || path.starts_with("/home") || path.find("cache") != path.npos);
  });
}

std::string name_of(const LauncherRow& row, std::string_view word) {
  if (!row.module.empty() && word == row.module) return "`" + std::string(row.module) + "`";
  std::string name(row.program);
  if (!row.command.empty()) name.append(" ").append(row.command);
  return "`" + name + "`";
}

struct Start {
  const LauncherRow* row = nullptr;
  std::size_t at = 0;
  std::size_t options = 0;
};

std::vector<Start> starts_in(std::span<const ShellWord> words) {
  std::vector<Start> starts;
  for (std::size_t at = 0; at < words.size(); ++at) {
    for (const LauncherRow& row : kLaunchers) {
      const std::size_t options = options_of(row, words, at);
      if (options == 0) continue;
      starts.push_back({&row, at, options});
      break;
    }
  }
  return starts;
}

/// A glance before a command is taken apart.
bool mentions_launcher(View container) {
  return std::ranges::any_of(kLaunchers, [container](const LauncherRow& row) {
    return contains_text(container, row.program.empty() ? row.module : row.program);
  });
}

/// Modules and programs that start processes themselves.
constexpr Words<7> kStarters{
    "torch.distributed.run",      "torch.distributed.launch",  "torchrun",
    "accelerate.commands.launch", "deepspeed.launcher.runner", "deepspeed.launcher.launch",
    "paddle.distributed.launch"};

}  // namespace

std::vector<BareLauncher> bare_launchers(const Workload& workload, const WorkloadRole& role,
                                         View container) {
  std::vector<BareLauncher> bare;
  if (!mentions_launcher(container)) return bare;
  const ShellWords words = command_words(container);
  for (const Start& start : starts_in(words)) {
    const LauncherRow& row = *start.row;
    if (row.has_hosts_of_operator && workload.kind == "MPIJob") continue;
    const Line line = line_of(row, words, start.options);
    const ShellWord& word = words[start.at];
    if (line.is_for_one) {
      bare.push_back({word.at, name_of(row, word.text) + " for one node"});
      continue;
    }
    if (line.is_told || may_have_file(row, container)) continue;
    if (is_a_rank(row, line, role, container)) continue;
    if (is_told_by_trainer(row, workload, container)) continue;
    const bool has_option =
        start.options < words.size() && words[start.options].text.starts_with('-');
    const bool may_read = row.program != "tune" || has_option;
    if (may_read && is_told_by_variable(row, workload, role, container)) continue;
    bare.push_back({word.at, name_of(row, word.text) + " without " + std::string(row.lacks),
                    !line.may_have_more});
  }
  return bare;
}

bool is_launcher(std::string_view name) {
  return std::ranges::find(kStarters, name) != kStarters.end();
}

std::optional<NestedLauncher> nested_launcher(View container) {
  if (!contains_text(container, "torch") && !contains_text(container, "accelerate"))
    return std::nullopt;
  const ShellWords words = command_words(container);
  std::string outer;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at].text;
    if (word == "\n") outer.clear();
    const bool starts = is_launcher(program_name(word)) &&
                        (outer.empty() || words[at - 1].text == "-m" ||
                         words[at - 1].text == "--module" || !words[at - 1].text.starts_with('-'));
    if (starts && !outer.empty()) return NestedLauncher{words[at].at, outer, std::string(word)};
    const bool is_accelerate = program_name(word) == "accelerate" && at + 1 < words.size() &&
                               words[at + 1].text == "launch";
    if (starts || is_accelerate) {
      const bool runs = program_before(words, at) == at || is_module(words, at);
      if (runs) outer = is_accelerate ? "accelerate launch" : std::string(word);
    }
  }
  return std::nullopt;
}

}  // namespace trainyard
