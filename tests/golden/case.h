#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "golden/files.h"
#include "golden/words.h"

namespace trainyard::golden {

/// What a case shows, and what its directory holds about that.
struct Expectation {
  std::string out;  // `stdout`; absent when empty
  std::string err;  // `stderr`; absent when empty
  int exit = 0;     // `exit`; absent when 0
  Files tree;       // `out/`: what is in out/ in the end
  Files changed;    // `after/`: files elsewhere that were written or changed

  bool nothing() const {
    return out.empty() && err.empty() && exit == 0 && tree.empty() && changed.empty();
  }
};

/// A directory below golden/ with a file `args`.
struct Case {
  std::string name;               // its path below golden/
  std::vector<Command> commands;  // `args`
  Files inputs;                   // the other files, `before/`, and what `inputs` names
  Expectation expected;
  bool true_digests = false;        // `true-digests`: digests of jobs are compared, too
  std::vector<std::string> faults;  // of the directory itself
};

/// `repository` is where the paths in a file `inputs` start.
Case load_case(const std::filesystem::path& directory, const std::filesystem::path& repository);

/// Makes `expectation` that of a case's directory. Files that are as they should be are not
/// touched. Whether anything changed.
bool save_expectation(const std::filesystem::path& directory, const Expectation& expectation);

}  // namespace trainyard::golden
