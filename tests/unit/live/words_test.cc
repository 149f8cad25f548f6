#include <catch2/catch_test_macros.hpp>

#include "live/jobs/rank_set.h"
#include "live/time_word.h"

using namespace trainyard;

TEST_CASE("a word that is no time is refused, also one that is too long for a clock") {
  for (const char* word : {"", "m", "10x", "-5m", "1h m", "5.5m", "99999999999999999999s",
                           "9223372036854775807d", "36600d"}) {
    CAPTURE(word);
    CHECK_FALSE(read_duration(word));
  }
}

TEST_CASE("a time is read with its units") {
  CHECK(read_duration("90") == Milliseconds(90'000));
  CHECK(read_duration("15m") == Milliseconds(900'000));
  CHECK(read_duration("1h30m") == Milliseconds(5'400'000));
  CHECK(read_duration("0s") == Milliseconds(0));
}

TEST_CASE("a word that names no ranks is refused") {
  for (const char* word :
       {"", "a", "3-", "-3", "5-3", "1,,2", "1,", "1-2-3", "99999999999999999999"}) {
    CAPTURE(word);
    CHECK_FALSE(RankSet::read(word));
  }
}

TEST_CASE("ranks are single ones and ranges") {
  const auto ranks = RankSet::read("0,3-5");
  REQUIRE(ranks);
  CHECK(ranks->has(0));
  CHECK_FALSE(ranks->has(1));
  CHECK(ranks->has(3));
  CHECK(ranks->has(5));
  CHECK_FALSE(ranks->has(6));
  CHECK_FALSE(ranks->is_one());
  CHECK(RankSet::read("7")->is_one());
  CHECK(RankSet::all().has(100'000));
}
