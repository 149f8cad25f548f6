#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// A launcher's options that have no value, and those that have two; all others have one. Names
/// are in kebab-case without dashes.
struct LauncherOptions {
  std::span<const std::string_view> alone;
  std::span<const std::string_view> pairs;

  /// How many words behind an option belong to it.
  std::size_t values_behind(std::string_view word) const;
};

extern const LauncherOptions torchrun_options;
extern const LauncherOptions accelerate_options;
extern const LauncherOptions deepspeed_options;
extern const LauncherOptions mpirun_options;
extern const LauncherOptions horovodrun_options;
extern const LauncherOptions colossalai_options;
extern const LauncherOptions pdsh_options;

class LauncherCall;

// As those of shell/command_line.h, for launchers that few containers start.

/// Of horovodrun.
std::shared_ptr<const LauncherCall> horovodrun_call(View container);
/// Of `colossalai run`.
std::shared_ptr<const LauncherCall> colossalai_call(View container);
/// Of pdsh.
std::shared_ptr<const LauncherCall> pdsh_call(View container);

/// Whether a program of this name starts the processes of a training: `torchrun`, `mpirun`.
bool starts_ranks(std::string_view name);

/// `nproc-per-node` of `--nproc_per_node=8`.
std::string kebab_name(std::string_view word);

}  // namespace trainyard
