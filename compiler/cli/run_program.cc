#include "cli/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "source/file_error.h"

namespace trainyard {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& each : texts) result.push_back(const_cast<char*>(each.c_str()));
  result.push_back(nullptr);
  return result;
}

/// A pipe between the program and this one.
struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
  void close(int end) {
    if (ends[end] != -1) ::close(ends[end]);
    ends[end] = -1;
  }
};

class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  ~Child() { wait(); }

  /// 0, or a number of errno.
  int start(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
    if (!in_.open() || !out_.open() || !err_.open()) return errno;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in_.ends[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out_.ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err_.ends[1], STDERR_FILENO);
    const int error = ::posix_spawnp(&process_, words.front().c_str(), &actions, nullptr,
                                     pointers(words).data(), pointers(environment).data());
    if (error != 0) process_ = 0;
    ::posix_spawn_file_actions_destroy(&actions);
    in_.close(0);
    out_.close(1);
    err_.close(1);
    return error;
  }

  /// Writes and reads at once, so that neither side waits for the other.
  void talk(std::string_view input, ProgramRun& run) {
    ::fcntl(in_.ends[1], F_SETFL, O_NONBLOCK);
    while (out_.ends[0] != -1 || err_.ends[0] != -1) {
      if (input.empty()) in_.close(1);
      pollfd watched[] = {
          {in_.ends[1], POLLOUT, 0}, {out_.ends[0], POLLIN, 0}, {err_.ends[0], POLLIN, 0}};
      if (::poll(watched, 3, -1) < 0 && errno != EINTR) return;
      if (watched[0].revents != 0) write(input);
      if (watched[1].revents != 0) read(out_, run.out);
      if (watched[2].revents != 0) read(err_, run.err);
    }
  }

  int wait() {
    in_.close(1);
    if (process_ == 0) return -1;
    int status = 0;
    while (::waitpid(process_, &status, 0) == -1 && errno == EINTR) {
    }
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  void write(std::string_view& input) {
    const ssize_t count = ::write(in_.ends[1], input.data(), input.size());
    if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 && errno != EAGAIN && errno != EINTR) input = {};  // it reads no more
  }

  static void read(Pipe& pipe, std::string& into) {
    char buffer[64 * 1024];
    const ssize_t count = ::read(pipe.ends[0], buffer, sizeof buffer);
    if (count > 0) into.append(buffer, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) pipe.close(0);
  }

  pid_t process_ = 0;
  Pipe in_;
  Pipe out_;
  Pipe err_;
};

/// A write to a program that has ended is no reason to end.
class NoPipeSignal {
 public:
  NoPipeSignal() : before_(::signal(SIGPIPE, SIG_IGN)) {}
  NoPipeSignal(const NoPipeSignal&) = delete;
  ~NoPipeSignal() { ::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int);
};

}  // namespace

std::vector<std::string> whole_environment() {
  std::vector<std::string> result;
  for (char** each = environ; *each != nullptr; ++each) result.emplace_back(*each);
  return result;
}

ProgramRun run_program(const std::vector<std::string>& words, const std::string& input,
                       const std::vector<std::string>& environment) {
  const NoPipeSignal quiet;
  ProgramRun run;
  Child child;
  if (const int error = child.start(words, environment); error != 0) {
    run.err = error_from(error).message;
    return run;
  }
  child.talk(input, run);
  run.code = child.wait();
  return run;
}

}  // namespace trainyard
