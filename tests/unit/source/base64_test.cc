#include "source/base64.h"

#include <catch2/catch_test_macros.hpp>

namespace trainyard {
namespace {

TEST_CASE("base64 pads as RFC 4648 section 10 shows") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("base64 takes every byte for a number without a sign") {
  CHECK(base64(std::string_view("\0\0\0", 3)) == "AAAA");
  CHECK(base64("\xFF\xFF\xFF") == "////");
  CHECK(base64("\xFB\xEF\xBE") == "++++");
}

TEST_CASE("the alphabet for URLs differs in two digits") {
  CHECK(base64_url("\xFF\xFF\xFF") == "____");
  CHECK(base64_url("\xFB\xEF\xBE") == "----");
  CHECK(base64_url("f") == "Zg==");
}

}  // namespace
}  // namespace trainyard
