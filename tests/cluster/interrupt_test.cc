// Ctrl-C and what a command does with it.
#include "live/interrupt.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <string>

#include "live/live_exit.h"

using namespace trainyard;

TEST_CASE("a signal that would end the program is held, told and then forgotten") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Interrupt interrupt;
    CHECK(!interrupt.caught());
    std::raise(signal);
    CHECK(interrupt.caught());
  }
  const Interrupt later;
  CHECK(!later.caught());
}

namespace {

/// How a child ends that gets SIGINT, and what it says on standard error.
std::pair<int, std::string> interrupted_child(bool is_early) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    tell_early_interrupts();
    if (!is_early) const Interrupt later;
    std::raise(SIGINT);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char bytes[256];
  for (ssize_t size = 0; (size = ::read(ends[0], bytes, sizeof bytes)) > 0;) {
    said.append(bytes, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), said};
}

}  // namespace

TEST_CASE("a signal before the first request ends with 130 and says that nothing was changed") {
  const auto [code, said] = interrupted_child(true);
  CHECK(code == 130);
  CHECK(said == "trainyard: interrupted before the cluster was asked; nothing was changed\n");
  CHECK(interrupted_child(false) == std::pair(130, std::string()));
}

TEST_CASE("a signal that is ignored, as by nohup, stays so") {
  const auto before = std::signal(SIGINT, SIG_IGN);
  const Interrupt interrupt;
  std::raise(SIGINT);
  CHECK(!interrupt.caught());
  std::signal(SIGINT, before);
}

TEST_CASE("each way to fail has the exit code that scripts rely on") {
  const auto code = [](Trouble trouble, int status, const std::string& reason = "X") {
    ApiError error;
    error.trouble = trouble;
    error.status = status;
    error.reason = reason;
    return static_cast<int>(exit_code_of(error));
  };
  CHECK(code(Trouble::Interrupted, 0) == 130);
  CHECK(code(Trouble::Lost, 0) == 4);
  CHECK(code(Trouble::None, 401) == 4);
  CHECK(code(Trouble::None, 403) == 4);
  CHECK(code(Trouble::None, 404) == 6);
  CHECK(code(Trouble::None, 409) == 8);
  CHECK(code(Trouble::None, 410) == 4);
  CHECK(code(Trouble::None, 422) == 1);
  CHECK(code(Trouble::None, 429) == 4);
  CHECK(code(Trouble::None, 500, "") == 1);
  CHECK(code(Trouble::None, 500, "InternalError") == 4);
  CHECK(code(Trouble::None, 503) == 4);
}
