#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/file_system.h"

namespace trainyard {

/// How far some work is.
struct WorkDone {
  std::size_t done = 0;
  std::size_t all = 0;
  std::string_view what;  // `files`
};

/// The world as the compiler sees it. Nothing below the command line reads a clock, a locale, an
/// environment variable or a terminal.
struct Env {
  FileSystem& files;
  /// All of standard input; called at most once, when an input is `-`.
  std::function<FileRead(std::size_t limit)> read_stdin;
  /// Patterns of paths that are passed over among the inputs, as fits_glob has them.
  std::vector<std::string> excluded = {};
  /// `--load-outside`: documents may name files outside of their root (`read_root.h`).
  bool load_outside = false;
  /// The directories among the inputs, without links; see note_directories.
  std::vector<std::string> directories = {};
  /// The config file that a search found for this run, without links; "" where there is none. Not
  /// set where the caller chose (`--config`, `--no-config`).
  std::optional<std::string> config = {};
  /// Draws how far long work is; empty without a terminal. For the main thread alone.
  std::function<void(const WorkDone&)> progress = {};

  void tell(const WorkDone& work) const {
    if (progress) progress(work);
  }
};

/// The contract with scripts.
enum class ExitCode : int {
  Good = 0,
  InputWrong = 1,
  CallWrong = 2,
  OutOfDate = 3,
  WorldFailed = 4,
  OurFault = 70,
};

}  // namespace trainyard
