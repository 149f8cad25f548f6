#pragma once

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// Files in a ConfigMap that by their names are JSON or YAML, and by their text are not. Templates,
/// which something else fills first, are left alone.
void check_config_files(View config_map, CheckContext& context);

}  // namespace trainyard
