#pragma once

#include <string_view>

#include "check/check.h"
#include "manifest/pod.h"
#include "shell/command_line.h"

namespace trainyard {

/// Whether the script that a shell is given comes to its training, waits for it, and ends as it
/// does.
void check_script_flow(const Pod& pod, View container, View script, CheckContext& context);

/// What no shell can read, and options that it does not have. Texts that a tool is still to fill
/// in are left alone.
void check_script_syntax(const Pod& pod, CheckContext& context);

/// What a script says of a variable in any case, by `export NAME=value`; nothing where that depends
/// on something, or is said twice.
OptionValue exported_value(View container, std::string_view name);

}  // namespace trainyard
