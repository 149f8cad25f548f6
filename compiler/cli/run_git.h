#pragma once

#include <string>
#include <vector>

#include "driver/plan/git_tree.h"

namespace trainyard {

/// Calls the `git` of the `PATH`, without a shell. It asks no question, takes no lock, and opens no
/// connection, also where a partial clone would fetch. The repository is that of the folder behind
/// `-C`, whatever a hook says in the environment.
GitRun run_git(const std::vector<std::string>& arguments, const std::string& input);

}  // namespace trainyard
