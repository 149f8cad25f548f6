#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/workload.h"
#include "shell/word_view.h"

namespace trainyard {

/// A launcher that a container starts without a word of other pods: it starts processes where it
/// is, and they train alone.
struct BareLauncher {
  WordView at;
  std::string what;     // "`accelerate launch` without `--num_machines`"
  bool is_sure = true;  // false where a variable may hold options
};

/// The launchers that a container starts bare. Not torchrun, whose values other checks look at.
std::vector<BareLauncher> bare_launchers(const Workload& workload, const WorkloadRole& role,
                                         View container);

/// Whether a program or module, by its name, is a launcher that starts processes.
bool is_launcher(std::string_view name);

/// A launcher that another one starts in each of its processes: `torchrun -m
/// torch.distributed.run`.
struct NestedLauncher {
  WordView at;
  std::string outer;
  std::string inner;
};
std::optional<NestedLauncher> nested_launcher(View container);

}  // namespace trainyard
