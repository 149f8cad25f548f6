#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

// The shells of rules, run by the shell that is here.

namespace trainyard::testing {

using Words = std::vector<std::string>;

/// A folder of the test's own, which goes with it.
struct Folder {
  std::filesystem::path path;
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return (path / name).string(); }
};

/// Starts the words with some of their text replaced. Errors that the shells print go nowhere when
/// `quiet`.
pid_t start_words(Words words, const std::vector<std::pair<std::string, std::string>>& replaced,
                  bool quiet = false);
/// Waits for its end: the exit code, or 128 and the signal.
int result_of(pid_t child);
bool runs(pid_t child);

}  // namespace trainyard::testing
