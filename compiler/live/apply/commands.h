#pragma once

#include <memory>

#include "cli/command.h"
#include "cluster/connect/local_machine.h"

namespace trainyard {

std::unique_ptr<Command> plan_command(LocalMachine& machine);
std::unique_ptr<Command> apply_command(LocalMachine& machine);

}  // namespace trainyard
