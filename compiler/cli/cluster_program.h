#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/env.h"
#include "source/file_system.h"

namespace trainyard {

// Commands that talk to a cluster are in a program of their own, trainyard-cluster, so that this
// one stays a static file that opens no connection. `trainyard plan` starts it.

/// A command of trainyard-cluster.
struct ClusterCommand {
  std::string_view name;
  std::string_view summary;  // for the list of commands
  /// The options with which this program does the work itself: `--from` of `diagnose`, with spaces
  /// between them; "" where it has no such command.
  std::string_view here_with = {};
  /// This program does the same work, but knows less: it does it where the other is not installed.
  /// `doctor` then reads the Cluster document alone.
  bool is_here_too = false;
};
std::span<const ClusterCommand> cluster_commands();

/// The arguments for trainyard-cluster where a call is for one of `commands`, `help COMMAND`
/// included; nothing where it is for this program.
std::optional<std::vector<std::string>> words_for_cluster_program(
    const std::vector<std::string>& arguments,
    std::span<const ClusterCommand> commands = cluster_commands());

/// Whether this program can do a call for trainyard-cluster, too.
bool is_here_too(const std::vector<std::string>& words,
                 std::span<const ClusterCommand> commands = cluster_commands());

/// Whether the call is of a command that reads a Cluster document where no cluster can be asked.
bool may_do_without_cluster(const std::vector<std::string>& words);

/// Whether anything says how to reach a cluster: an option, a variable, the kubeconfig of the user,
/// or the account of a pod. Without, a call that can be done here is done here.
bool names_a_cluster(const std::vector<std::string>& words,
                     std::optional<std::string> (*variable)(const std::string&), FileSystem& files);

/// Starts it in the place of this process: from beside this program, or from
/// ../libexec/trainyard/. Returns only where it cannot, after saying which package has it.
ExitCode become_cluster_program(const std::vector<std::string>& words,
                                void (*say)(std::string_view text));

}  // namespace trainyard
