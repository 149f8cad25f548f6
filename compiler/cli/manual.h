#pragma once

#include <string>

#include "cli/told_commands.h"

namespace trainyard {

/// The manual page, section 1, as troff with the man macros.
std::string manual(const ToldCommands& told);

}  // namespace trainyard
