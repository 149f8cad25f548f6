#pragma once

#include <string>

#include "cli/command.h"
#include "driver/build/build.h"

namespace trainyard {

/// How files that were written and removed are shown.
struct FileNaming {
  std::string directory;  // that they are in
  bool quiet = false;     // how many, and not which
};

/// Prints what a build into a directory came to: findings in the format of `io`, the difference of
/// a check, and which files were written, removed or kept. Of very many, the first ones are named.
ExitCode finish_files(Io& io, Session& session, BuildResult result, const FileNaming& naming);

}  // namespace trainyard
