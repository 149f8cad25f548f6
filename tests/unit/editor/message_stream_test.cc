#include "editor/message_stream.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

TEST_CASE("a stream without a length is broken, and says so") {
  MessageReader reader;
  reader.feed("Content-Type: x\r\n\r\n{}");
  CHECK_FALSE(reader.next());
  CHECK(reader.fault() == "a header has no `Content-Length`");
}

TEST_CASE("a message that is too long breaks the stream before it is read") {
  MessageReader reader;
  reader.feed("Content-Length: 99999999999\r\n\r\n");
  CHECK_FALSE(reader.next());
  CHECK(reader.fault().find("more than 67108864 bytes") != std::string::npos);
}

TEST_CASE("a header without an end breaks the stream") {
  MessageReader reader;
  reader.feed(std::string(5000, 'x'));
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.fault().empty());
}

TEST_CASE("a length that is no number breaks the stream") {
  for (const char* length : {"-1", "1x", "", "99999999999999999999999"}) {
    MessageReader reader;
    reader.feed("Content-Length: " + std::string(length) + "\r\n\r\n{}");
    CHECK_FALSE(reader.next());
    CHECK_FALSE(reader.fault().empty());
  }
}

TEST_CASE("messages come out whole, however the bytes come") {
  const std::string stream =
      framed("{\"a\": 1}") + "content-length: 2\r\nX: y\r\n\r\n[]" + framed("");
  for (const std::size_t step : {1UL, 3UL, 7UL, stream.size()}) {
    MessageReader reader;
    std::vector<std::string> bodies;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      reader.feed(std::string_view(stream).substr(at, step));
      while (const auto body = reader.next()) bodies.push_back(*body);
    }
    CHECK(bodies == std::vector<std::string>{"{\"a\": 1}", "[]", ""});
    CHECK(reader.fault().empty());
  }
}
