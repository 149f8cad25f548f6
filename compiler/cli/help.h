#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cluster_program.h"
#include "cli/command.h"

namespace trainyard {

/// An exit code and when it comes: the contract with scripts, as help and the manual print it.
struct ExitCodeText {
  ExitCode code;
  std::string_view meaning;
};
const std::vector<ExitCodeText>& exit_code_texts();

/// What the program is for, in a sentence.
std::string_view program_summary();

/// What `trainyard` and `trainyard help` print: the commands, one line each.
std::string overview(const std::vector<std::unique_ptr<Command>>& commands,
                     std::span<const ClusterCommand> on_a_cluster = cluster_commands());
/// What `trainyard build --help` prints.
std::string help_of(Command& command);

/// `trainyard build [OPTION]... INPUT...`
std::string usage_of(const std::string& command, const Arguments& arguments);
/// `-c, --cluster FILE`
std::string heading_of(const CallArgument& argument);

}  // namespace trainyard
