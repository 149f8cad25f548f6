#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

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

/// Whether a program of this name starts the processes of a training: `torchrun`, `mpirun`.
bool starts_ranks(std::string_view name);

/// `nproc-per-node` of `--nproc_per_node=8`.
std::string kebab_name(std::string_view word);

}  // namespace trainyard
