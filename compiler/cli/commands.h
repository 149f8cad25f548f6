#pragma once

#include <memory>

#include "cli/command.h"

namespace trainyard {

// One file each.
std::unique_ptr<Command> build_command();
std::unique_ptr<Command> validate_command();

}  // namespace trainyard
