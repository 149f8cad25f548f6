#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct ProgramRun {
  int code = -1;  // of its exit; -1 where it could not be started
  std::string out;
  std::string err;
};

/// The environment of this process, as `NAME=VALUE`.
std::vector<std::string> whole_environment();

/// Runs a program of the `PATH`, without a shell, with this standard input and environment.
ProgramRun run_program(const std::vector<std::string>& words, const std::string& input,
                       const std::vector<std::string>& environment);

}  // namespace trainyard
