#pragma once

#include <memory>

#include "cli/command.h"
#include "cluster/connect/local_machine.h"

namespace trainyard {

std::unique_ptr<Command> status_command(LocalMachine& machine);
std::unique_ptr<Command> logs_command(LocalMachine& machine);
std::unique_ptr<Command> wait_command(LocalMachine& machine);
std::unique_ptr<Command> diagnose_live_command(LocalMachine& machine);
std::unique_ptr<Command> cancel_command(LocalMachine& machine);
std::unique_ptr<Command> resume_command(LocalMachine& machine);
std::unique_ptr<Command> delete_command(LocalMachine& machine);

}  // namespace trainyard
