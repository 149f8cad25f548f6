#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A shell that a build puts in front of a program, to tell it its rank under other names.
struct RankShell {
  std::vector<std::string> exported;  // the variables that it sets
  std::vector<std::string> front;     // words of the program that it holds itself
};

/// A script of such a shell, as the shell sees it.
std::optional<RankShell> read_rank_shell(std::string_view script);

/// Whether a script, as the shell sees it, is that by which a launcher of ours tells mpirun the
/// port of sshd, or waits for sshd on all hosts; before 0.2 it waited without end.
bool reaches_hosts(std::string_view script);

/// The line by which a launcher of ours starts the ranks.
struct GeneratedMpirun {
  std::int64_t ranks = 0;
  std::int64_t per_node = 0;         // of these; 0 where the line does not say it
  bool tells_local_rank = false;     // gives each rank its number on its node
  std::set<std::string> exported;    // variables that the ranks get
  std::vector<std::string> options;  // that the spec has of its own
  std::string preparation;           // the script that runs before it; "" for none
  std::vector<std::string> program;  // the rank of a node in it is `$(NODE_RANK)`

  /// Whether it starts a rank for each process of a node, and not one launcher on each.
  bool starts_each(std::int64_t nodes) const {
    return ranks > nodes || tells_local_rank || !options.empty();
  }
};

/// Nothing for a container whose command is not such a line.
std::optional<GeneratedMpirun> read_made_mpirun(View container);

/// Whether the variable tells mpirun where the hosts are, as a build writes it.
bool is_host_variable(std::string_view name);

}  // namespace trainyard
