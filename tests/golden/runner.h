#pragma once

#include <filesystem>
#include <string>

namespace trainyard::golden {

struct Result {
  std::string name;        // of the case
  std::string wrong;       // empty when nothing is
  bool rewritten = false;  // an update changed files of the case
};

/// Runs the case in `directory` and compares. With `update`, first writes what was seen into the
/// case's directory where that differs.
Result run_case(const std::filesystem::path& program, const std::filesystem::path& directory,
                const std::filesystem::path& repository, bool update);

}  // namespace trainyard::golden
