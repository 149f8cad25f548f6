#pragma once

#include <memory>

#include "cli/command.h"

namespace trainyard {

std::unique_ptr<Command> lsp_command();

}  // namespace trainyard
