#include "cli/failure.h"

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

using namespace trainyard;

namespace {

std::string said;

template <class Failure>
ExitCode told(const Failure& failure) {
  said.clear();
  return tell_failure(std::make_exception_ptr(failure),
                      [](std::string_view text) { said += text; });
}

bool is_said(const char* part) {
  return said.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("out of memory is no fault of Trainyard, and the message says how to go on") {
  CHECK(told(std::bad_alloc()) == ExitCode::WorldFailed);
  CHECK_FALSE(is_said("report"));
  CHECK(is_said("out of memory"));
  CHECK(is_said("raise the limit"));
}

TEST_CASE("what the system refuses is reported in its words, and is no fault of Trainyard") {
  CHECK(told(std::system_error(ENOSPC, std::generic_category())) == ExitCode::WorldFailed);
  CHECK_FALSE(is_said("report"));
  CHECK(is_said("No space left on device"));
}

TEST_CASE("anything else is a fault to report, without what could change the terminal") {
  CHECK(told(std::logic_error("\033[2J")) == ExitCode::OurFault);
  CHECK_FALSE(is_said("\033"));
  CHECK(is_said("please report"));
}
