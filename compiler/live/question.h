#pragma once

#include <string>

namespace trainyard {

/// Asks a person at the terminal, on standard error; only a typed `y` or `yes` is a yes.
bool agrees(const std::string& question);

}  // namespace trainyard
