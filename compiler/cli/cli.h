#pragma once

#include "cli/command.h"

namespace trainyard {

/// The program without the process: parses the arguments and runs one of the commands. `arguments`
/// are those after the program's name.
ExitCode run_cli(const std::vector<std::string>& arguments, Io& io,
                 const std::vector<std::unique_ptr<Command>>& commands = all_commands());

}  // namespace trainyard
