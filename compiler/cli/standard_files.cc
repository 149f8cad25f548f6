#include "cli/standard_files.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>

namespace trainyard {
namespace {

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

int write_all(int file, BuiltStream& stream) {
  for (std::string_view text = stream.next(); !text.empty(); text = stream.next()) {
    const int error = write_all(file, text);
    if (error != 0) return error;
  }
  return 0;
}

/// Whether the terminal shows neither colours nor rewrites a line, or does not say what it is.
bool is_dumb() {
  const std::optional<std::string> terminal = environment_variable("TERM");
  return !terminal || terminal->empty() || *terminal == "dumb";
}

}  // namespace

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

FileRead read_standard_input(std::size_t limit) {
  using Reason = FileError::Reason;
  FileRead result;
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

bool has_person() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

std::optional<std::string> ask_person(const std::string& question) {
  constexpr std::size_t kLongest = 4096;
  write_all(STDERR_FILENO, question);
  std::string line;
  char c = 0;
  while (line.size() < kLongest) {
    const ssize_t count = ::read(STDIN_FILENO, &c, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    if (c == '\n') break;
    line += c;
  }
  while (line.ends_with(' ') || line.ends_with('\r')) line.pop_back();
  return line;
}

void say(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

int write_out(std::string_view text) {
  return write_all(STDOUT_FILENO, text);
}

ExitCode print_and_close(std::string_view text, BuiltStream& rest, bool has_output) {
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

bool has_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

bool wants_colour() {
  const char* const refused = std::getenv("NO_COLOR");
  return has_terminal() && !is_dumb() && (refused == nullptr || *refused == '\0');
}

std::size_t terminal_columns() {
  constexpr std::size_t kUsual = 80;
  if (!has_terminal() || is_dumb()) return 0;
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return is_known ? size.ws_col : kUsual;
}

std::function<double()> stopwatch() {
  using Clock = std::chrono::steady_clock;
  return [start = Clock::now()] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace trainyard
