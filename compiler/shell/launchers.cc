#include "shell/launchers.h"

#include <algorithm>
#include <array>

#include "source/word_table.h"

namespace trainyard {
namespace {

constexpr auto kTorchrun = std::to_array<std::string_view>(
    {"standalone", "no-python", "run-path", "m", "module", "use-env"});
// huggingface/accelerate src/accelerate/commands/launch.py
constexpr auto kAccelerate = std::to_array<std::string_view>(
    {"multi-gpu", "cpu", "mps", "tpu", "use-deepspeed", "use-fsdp", "use-megatron-lm", "m",
     "module", "no-python", "same-network", "debug", "quiet", "q", "use-xpu", "ipex"});
// deepspeedai/DeepSpeed deepspeed/launcher/runner.py
constexpr auto kDeepspeed = std::to_array<std::string_view>(
    {"no-ssh", "no-ssh-check", "no-local-rank", "no-python", "module", "force-multi", "save-pid",
     "enable-each-rank-log", "elastic-training", "bind-cores-to-rank"});
constexpr auto kMpirun = word_table<
    "allow-run-as-root oversubscribe display-map display-allocation tag-output v verbose q "
    "bynode bycore byslot nooversubscribe report-bindings timestamp-output use-hwthread-cpus l "
    "genvall genvnone print-rank-map bind-to-core bind-to-socket nolocal">;
constexpr auto kMpirunPairs =
    std::to_array<std::string_view>({"mca", "gmca", "prtemca", "pmixmca", "genv", "env"});
// horovod/horovod horovod/runner/launch.py
constexpr auto kHorovodrun = word_table<
    "v version cb check-build disable-cache verbose hierarchical-allreduce "
    "no-hierarchical-allreduce hierarchical-allgather no-hierarchical-allgather autotune "
    "no-autotune timeline-mark-cycles no-timeline-mark-cycles no-stall-check stall-check "
    "mpi-threads-disable no-mpi-threads-disable tcp log-with-timestamp log-without-timestamp "
    "log-hide-timestamp gloo mpi jsrun">;
// hpcaitech/ColossalAI colossalai/cli/launcher/__init__.py
constexpr auto kColossalai = std::to_array<std::string_view>({"m"});
// chaos/pdsh src/pdsh/opt.c
constexpr auto kPdsh = std::to_array<std::string_view>({"S", "k", "q", "b", "N", "h", "V", "L"});

}  // namespace

constinit const LauncherOptions torchrun_options{kTorchrun, {}};
constinit const LauncherOptions accelerate_options{kAccelerate, {}};
constinit const LauncherOptions deepspeed_options{kDeepspeed, {}};
constinit const LauncherOptions mpirun_options{kMpirun, kMpirunPairs};
constinit const LauncherOptions horovodrun_options{kHorovodrun, {}};
constinit const LauncherOptions colossalai_options{kColossalai, {}};
constinit const LauncherOptions pdsh_options{kPdsh, {}};

std::size_t LauncherOptions::values_behind(std::string_view word) const {
  const std::string name = kebab_name(word);
  if (word.find('=') != word.npos || std::ranges::find(alone, name) != alone.end()) return 0;
  return std::ranges::find(pairs, name) != pairs.end() ? 2 : 1;
}

bool starts_ranks(std::string_view name) {
  constexpr std::string_view kNames[] = {"torchrun",   "mpirun",    "mpiexec",
                                         "accelerate", "deepspeed", "horovodrun"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::string kebab_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string name(word.substr(0, word.find('=')));
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace trainyard
