#pragma once

#include "check/check.h"
#include "check/pod.h"

namespace trainyard {

/// Whether the script that a shell is given comes to its training, waits for it, and ends as it
/// does.
void check_script_flow(const Pod& pod, View container, View script, CheckContext& context);

}  // namespace trainyard
