#pragma once

#include <string_view>

#include "shell/command_line.h"

namespace trainyard {

/// What a script says of a variable in any case, by `export NAME=value`; nothing where that depends
/// on something, or is there twice.
OptionValue exported_value(View container, std::string_view name);

}  // namespace trainyard
