#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "golden/words.h"

namespace trainyard::golden {

struct Outcome {
  int exit = 0;
  int signal = 0;  // that ended the program, or 0
  std::string out;
  std::string err;
};

/// Runs the program in `directory` with exactly `environment` (`NAME=value`). Its output goes
/// through files in `scratch`. A program that runs for more than two minutes is ended by SIGALRM.
Outcome run_program(const std::filesystem::path& program, const Command& command,
                    const std::filesystem::path& directory, const std::filesystem::path& scratch,
                    const std::vector<std::string>& environment);

}  // namespace trainyard::golden
