#include "spec/duration.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("durations are whole seconds") {
  CHECK(parse_duration("90s")->count == 90);
  CHECK(parse_duration("30m")->count == 1800);
  CHECK(parse_duration("12h")->count == 43200);
  CHECK(parse_duration("7d")->count == 604800);
  CHECK(parse_duration("0")->count == 0);
  CHECK(parse_duration("3600")->count == 3600);
  CHECK(parse_duration("1h30m")->count == 5400);
  CHECK(parse_duration("1d2h3m4s")->count == 93784);
  CHECK(parse_duration("0090s")->count == 90);
}

TEST_CASE("what is not a duration is refused") {
  for (const char* text : {"", " ", "s", "m30", "-5s", "+5s", "1.5h", "5 m", "5w", "1h30", "30m1h",
                           "1h1h", "5ms", "1H", "PT5M", "5s ", "1h-3m"}) {
    INFO(text);
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("durations that a controller would overflow are refused") {
  CHECK(parse_duration("2147483647")->count == 2147483647);
  CHECK_FALSE(parse_duration("2147483648"));
  CHECK_FALSE(parse_duration("35791395m"));
  CHECK_FALSE(parse_duration("24855d3h14m8s"));
  CHECK(parse_duration("24855d3h14m7s")->count == 2147483647);
}
