#pragma once

#include <memory>
#include <string>

#include "cli/command.h"

namespace trainyard {

std::unique_ptr<Command> retire_command();
std::unique_ptr<Command> promote_command();
std::unique_ptr<Command> merge_driver_command();

// What commands about a fleet share.

/// The operand FLEET of commands about a fleet.
CallArgument fleet_argument(std::string& into);

/// The file of the Fleet: of a folder the `fleet.yaml` in it.
std::string fleet_file(Env& env, const std::string& path);

/// Readies a session for a fleet. A config file may choose the target.
void prepare_fleet(Session& session, const SessionOptions& options, const std::string& fleet,
                   std::string& target);

}  // namespace trainyard
