#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/cli.h"

namespace {

trainyard::FileRead read_stdin(std::size_t limit) {
  trainyard::FileRead result;
  char buffer[64 * 1024];
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) break;
    result.text.append(buffer, static_cast<std::size_t>(count));
    if (result.text.size() > limit) {
      result.error = {trainyard::FileError::Reason::TooLarge,
                      "is larger than " + std::to_string(limit) + " bytes"};
      break;
    }
  }
  return result;
}

/// False when the text could not be written in full: a full disk, a closed pipe.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

int run(int argc, char** argv) {
  trainyard::RealFileSystem files;
  trainyard::Env env{files, read_stdin};
  std::string out;
  std::string err;
  trainyard::Io io{env, out, err, ::isatty(STDERR_FILENO) == 1};
  const trainyard::ExitCode code =
      trainyard::run_cli(std::vector<std::string>(argv + 1, argv + argc), io);
  write_all(STDERR_FILENO, err);
  if (!write_all(STDOUT_FILENO, out)) return static_cast<int>(trainyard::ExitCode::WorldFailed);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "trainyard: internal error: %s\n", failure.what());
    return static_cast<int>(trainyard::ExitCode::OurFault);
  }
}
