#pragma once

#include "cli/command.h"
#include "driver/build/build.h"

namespace trainyard {

/// Prints what a build into a directory came to: findings in the format of `io`, the difference of
/// a check, and which files were written, removed or kept.
ExitCode finish_files(Io& io, Session& session, BuildResult result);

}  // namespace trainyard
