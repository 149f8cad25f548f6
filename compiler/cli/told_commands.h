#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cli/command.h"
#include "cli/help.h"

namespace trainyard {

/// The commands in the manual and the completions.
struct ToldCommands {
  std::vector<std::unique_ptr<Command>> here;        // of `trainyard`
  std::vector<std::unique_ptr<Command>> on_cluster;  // of `trainyard-cluster`
  std::vector<ExitCodeText> exit_codes;              // of these alone
};
using Telling = std::function<ToldCommands()>;

/// Those of this program. It knows commands on a cluster by their names alone: trainyard-cluster
/// prints the manual and the completions with all of theirs.
ToldCommands told_commands();

// The two commands that print them, for a program with more commands than this one.
std::unique_ptr<Command> completion_command(Telling told);
std::unique_ptr<Command> man_command(Telling told);

}  // namespace trainyard
