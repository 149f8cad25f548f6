#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace trainyard {

/// The manual page, section 1, as troff with the man macros.
std::string manual(const std::vector<std::unique_ptr<Command>>& commands);

}  // namespace trainyard
