#include "source/unescaped.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

namespace {

std::string unescaped(std::string_view source) {
  const auto result = Unescaped::of(source);
  return result ? std::string(result->text()) : "as it was";
}

}  // namespace

TEST_CASE("escapes of printable characters become what they stand for") {
  CHECK(unescaped(R"("\x67hp")") == "\"ghp\"");
  CHECK(unescaped(R"(\u0067\U00000068\/p)") == "gh/p");
  CHECK(unescaped("ab\\\n   cd") == "abcd");
  CHECK(unescaped("ab\\\r\n\tcd") == "abcd");
  CHECK(unescaped("ab\\\n") == "ab");
}

TEST_CASE("what would end or begin something else stays escaped") {
  for (const char* text :
       {R"(\x22)", R"(\x5c)", R"(\x0a)", R"(\x20)", R"(\u00e9)", R"(\n\t\")", R"(\\x67)", R"(\x6)",
        R"(\x-1)", R"(\x6g)", R"(\u006)", R"(\)", "", "plain"}) {
    INFO(text);
    CHECK(unescaped(text) == "as it was");
  }
}

TEST_CASE("each place of the unescaped text is known in the source") {
  const std::string source = R"(a\x62c\
  d)";
  const auto result = Unescaped::of(source);
  REQUIRE(result);
  REQUIRE(result->text() == "abcd");
  CHECK(result->place_of(0) == 0);
  CHECK(result->place_of(1) == 1);
  CHECK(result->place_of(2) == 5);
  CHECK(result->place_of(3) == source.find('d'));
  CHECK(result->place_of(4) == source.size());
}
