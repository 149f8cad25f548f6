// The cases of golden/, for every test that asks something of all of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "file_text.h"

namespace trainyard::testing {

struct GoldenCase {
  std::string name;  // its path below golden/: `target/jobset/kueue`
  std::filesystem::path path;

  /// The program fails in the cases below fail/, and only in those.
  bool fails() const { return name.starts_with("fail/"); }

  /// The command lines of `args`, without its comments.
  std::vector<std::string> commands() const {
    std::vector<std::string> result;
    std::istringstream args(read_file_if_any(path / "args"));
    for (std::string line; std::getline(args, line);) {
      if (!line.empty() && line[0] != '#') result.push_back(line);
    }
    return result;
  }

  /// Its command line where it has one; nothing where it has several.
  std::string only_command() const {
    const std::vector<std::string> all = commands();
    return all.size() == 1 ? all.front() : std::string();
  }
};

/// Every folder below `golden` with a file `args`, by name.
inline std::vector<GoldenCase> golden_cases(const std::filesystem::path& golden) {
  std::vector<GoldenCase> result;
  namespace fs = std::filesystem;
  for (auto it = fs::recursive_directory_iterator(golden); it != fs::end(it); ++it) {
    if (!it->is_directory() || !fs::exists(it->path() / "args")) continue;
    it.disable_recursion_pending();
    result.push_back({it->path().lexically_relative(golden).generic_string(), it->path()});
  }
  std::ranges::sort(result, {}, &GoldenCase::name);
  return result;
}

}  // namespace trainyard::testing
