#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "manifest/workload.h"
#include "shell/command_line.h"
#include "tree/tree.h"

namespace trainyard {

/// A number that the manifest states, and where.
struct ExplicitNumber {
  std::int64_t number = 0;
  WordView at;

  explicit operator bool() const { return static_cast<bool>(at); }
};

/// The processes that a launcher starts in each pod, as far as the object says it with a number: on
/// the command line, in `PET_NPROC_PER_NODE`, in a field of the kind.
ExplicitNumber processes_per_pod(const Workload& workload, View container);

/// The pods that torchrun waits for; with a range, the least. Not what an operator says to it.
ExplicitNumber explicit_node_count(View container);

/// Whether the controller of the workload gives this variable to the container, whatever the
/// template says.
bool is_injected(const Workload& workload, const WorkloadRole& role, View container,
                 std::string_view variable);

/// Whether the kind, with its fields and plugins, starts a distributed job of several processes:
/// everything but Jobs and the like, which may as well be many jobs side by side.
bool is_training_kind(const Workload& workload);

/// Whether the pods of a role are those of an Indexed Job, which know their index.
bool is_indexed(const Workload& workload, const WorkloadRole& role);

/// Whether torchrun gives out ranks in the order in which pods join, in any kind of store.
bool joins_by_order(View container);

/// Whether the script of a container sets a variable, or may: it reads another file.
bool script_sets(View container, std::string_view name);

/// `$NAME`, `${NAME}` or `$(NAME)` and nothing else; "" for other texts.
std::string_view referred_variable(std::string_view text);

/// Whether torchrun is given an option: on its command line, also abbreviated, by a variable
/// `PET_NODE_RANK`, or by the controller.
bool is_given(const Workload& workload, const WorkloadRole& role, View container,
              const LauncherCall& call, std::string_view option);

/// Whether all that torchrun is given can be read off its container: no variable holds options, no
/// `envFrom` brings variables, and no script of the image sets any in front of it.
bool is_all_known(View container, const LauncherCall& call);

/// Whether an address is the pod's own in every pod: `localhost`, with a port or without.
bool is_local_address(std::string_view address);

/// The pods that run torchrun.
std::int64_t torchrun_pods(const Workload& workload);

/// What shows that the pods which start torchrun here belong together, even if torchrun does
/// not look at it: an address of another pod, a rank, a number of ranks of all; an empty view for
/// none. The pods of a Job may as well be many jobs side by side.
View evidence_of_peers(const Workload& workload, const WorkloadRole& role, View container);

/// A plugin of a Volcano Job; an empty view for none.
View volcano_plugin(const Workload& workload, std::string_view name);
/// The value of `--flag=value` among the arguments of a plugin; "" for none.
std::string_view plugin_flag(View plugin, std::string_view flag);

/// "`worker` pods", "pods" of a workload whose only role has no name.
std::string pods_of(const WorkloadRole& role);

}  // namespace trainyard
