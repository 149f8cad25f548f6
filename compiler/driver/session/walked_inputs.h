#pragma once

#include <string>

#include "driver/session/env.h"

namespace trainyard {

/// Whether a walk through a directory takes this file for an input: a YAML or JSON file that is no
/// map of causes, and that the config does not exclude.
bool is_walked_input(const std::string& path, const Env& env);

}  // namespace trainyard
