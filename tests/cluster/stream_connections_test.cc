// How many connections streams get.
#include "cluster/http/stream_connections.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("the first eight streams ask nothing, and a server without TLS is never asked") {
  StreamConnections secure(true);
  StreamConnections plain(false);
  for (int i = 0; i < 8; ++i) {
    CHECK_FALSE(secure.awaits_probe());
    secure.add(false, 1);
    plain.add(false, 1);
  }
  CHECK(secure.awaits_probe());
  CHECK(secure.needs_probe());
  CHECK_FALSE(plain.awaits_probe());
  secure.note_probe();
  CHECK(secure.awaits_probe());
  CHECK_FALSE(secure.needs_probe());
  secure.end_probe(true);
  CHECK_FALSE(secure.awaits_probe());
  CHECK(secure.shares());
  secure.end_probe(false);
  CHECK(secure.shares());
}

TEST_CASE("512 streams share a few connections, and more while no further one begins") {
  StreamConnections streams(true);
  streams.add(true, 504);
  CHECK(streams.shared() == 11);
  CHECK_FALSE(streams.are_stuck(200));
  CHECK_FALSE(streams.are_stuck(100));
  CHECK(streams.are_stuck(100));
  CHECK(streams.shared() == 22);
  CHECK(streams.are_stuck(100));
  CHECK(streams.shared() == 44);
  CHECK_FALSE(streams.are_stuck(0));
  CHECK_FALSE(streams.are_stuck(0));
  CHECK(streams.shared() == 44);
}
