#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "check/workload.h"
#include "tree/tree.h"

namespace trainyard {

/// A number that somebody states, and where.
struct Stated {
  std::int64_t number = 0;
  View at;

  explicit operator bool() const { return static_cast<bool>(at); }
};

/// The processes that a launcher starts in each pod, as far as the object says it with a number: on
/// the command line, in `PET_NPROC_PER_NODE`, in a field of the kind.
Stated processes_per_pod(const Workload& workload, View container);

/// The pods that torchrun waits for; with a range, the least. Not what an operator says to it.
Stated stated_nodes(View container);

/// Whether the controller of the workload gives this variable to the container, whatever the
/// template says.
bool is_injected(const Workload& workload, const WorkloadRole& role, View container,
                 std::string_view variable);

/// Whether the kind, with its fields and plugins, starts a distributed job of several processes:
/// everything but Jobs and the like, which may as well be many jobs side by side.
bool is_training_kind(const Workload& workload);

/// Whether the pods of a role are those of an Indexed Job, which know their index.
bool is_indexed(const Workload& workload, const WorkloadRole& role);

/// Whether torchrun gives out ranks in the order in which pods join, whoever keeps the store.
bool joins_by_order(View container);

/// A plugin of a Volcano Job; an empty view for none.
View volcano_plugin(const Workload& workload, std::string_view name);
/// The value of `--flag=value` among the arguments of a plugin; "" for none.
std::string_view plugin_flag(View plugin, std::string_view flag);

/// "`worker` pods", "pods" of a workload whose only role has no name.
std::string pods_of(const WorkloadRole& role);

}  // namespace trainyard
