#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/failure.h"

namespace trainyard {
/// What this program was built from; the build writes it (cmake/tools/Commit.cmake).
std::string_view commit();
}  // namespace trainyard

namespace {

using trainyard::ExitCode;

trainyard::FileRead read_stdin(std::size_t limit) {
  using Reason = trainyard::FileError::Reason;
  trainyard::FileRead result;
  char buffer[64 * 1024];
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count == 0) return result;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const bool directory = errno == EISDIR;
      result.error = {directory ? Reason::IsDirectory : Reason::Other,
                      directory ? "is a directory" : "cannot be read"};
      return result;
    }
    result.text.append(buffer, static_cast<std::size_t>(count));
    if (result.text.size() > limit) {
      result.error = {Reason::TooLarge, "is larger than " + std::to_string(limit) + " bytes"};
      return result;
    }
  }
}

/// 0, or the error of the system when not all could be written: a full disk, a closed pipe.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

int write_all(int file, trainyard::BuiltStream& stream) {
  for (std::string_view text = stream.next(); !text.empty(); text = stream.next()) {
    const int error = write_all(file, text);
    if (error != 0) return error;
  }
  return 0;
}

void say(std::string_view text) {
  write_all(STDERR_FILENO, text);  // there is nowhere else to complain
}

/// The three standard files, so that none of the files we open takes the place of one that is
/// closed. False when standard output was closed.
bool hold_standard_files() {
  bool has_output = true;
  for (int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) != -1 || errno != EBADF) continue;
    if (file == STDOUT_FILENO) has_output = false;
    const int opened = ::open("/dev/null", O_RDWR);
    if (opened != file && opened != -1) ::close(opened);
  }
  return has_output;
}

/// Good when all of it went out. A reader who has seen enough and closed the pipe needs no message.
ExitCode print(std::string_view text, trainyard::BuiltStream& rest, bool has_output) {
  if (text.empty() && rest.empty()) return ExitCode::Good;
  int error = has_output ? write_all(STDOUT_FILENO, text) : EBADF;
  if (error == 0) error = write_all(STDOUT_FILENO, rest);
  if (error == 0 && ::close(STDOUT_FILENO) != 0) error = errno;  // some disks are full only now
  if (error == 0) return ExitCode::Good;
  if (error == ENOSPC) {
    say("trainyard: cannot write to standard output: no space left on the device\n");
  } else if (error != EPIPE) {
    say("trainyard: cannot write to standard output\n");
  }
  return ExitCode::WorldFailed;
}

bool wants_colour() {
  const char* const refused = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

ExitCode run(int argc, char** argv) {
  const bool has_output = hold_standard_files();
  std::signal(SIGPIPE, SIG_IGN);
  trainyard::RealFileSystem files;
  trainyard::Env env{files, read_stdin};
  std::string out;
  std::string err;
  trainyard::Io io{env, out, err, wants_colour()};
  io.commit = trainyard::commit();
  // Without a program name in front, as some callers start programs, there are no arguments.
  char** const begin = argc > 0 ? argv + 1 : argv;
  const ExitCode code = trainyard::run_cli(std::vector<std::string>(begin, argv + argc), io);
  say(err);
  const ExitCode printed = print(out, io.rest, has_output);
  return printed == ExitCode::Good ? code : printed;
}

}  // namespace

int main(int argc, char** argv) {
  ExitCode code = ExitCode::OurFault;
  try {
    code = run(argc, argv);
  } catch (...) {
    code = trainyard::tell_failure(std::current_exception(), say);
  }
  return static_cast<int>(code);
}
