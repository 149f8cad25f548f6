// Ctrl-C and what a command does with it.
#include "live/interrupt.h"

#include <catch2/catch_test_macros.hpp>
#include <csignal>

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
