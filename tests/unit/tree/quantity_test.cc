#include "tree/quantity.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace trainyard;

namespace {

std::string canonical(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  return quantity ? quantity->text() : "refused";
}

Quantity parsed(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  REQUIRE(quantity.has_value());
  return *quantity;
}

}  // namespace

TEST_CASE("a quantity is printed in the one form of Kubernetes") {
  for (const auto& [text, expected] : std::vector<std::pair<const char*, const char*>>{
           {"1000m", "1"},
           {"1024Mi", "1Gi"},
           {"0.5", "500m"},
           {"1.5Gi", "1536Mi"},
           {"1e3", "1e3"},
           {"1000", "1k"},
           {"100", "100"},
           {"-1500m", "-1500m"},
           {"0", "0"},
           {"0Gi", "0"},
           {"1023Ki", "1023Ki"},
           {"512", "512"},
           {"0.5Ki", "512"},
           {"0.0001Ki", "102400u"},
           {"0.1n", "1n"},
           {"-0.0000000001", "-1n"},
           {"9Ei", "9223372036854775807"},
           {"1E", "1E"},
           {"1000E", "1000E"},
           {"12345678901234567890", "12345678901234567890"}}) {
    CHECK(canonical(text) == expected);
  }
}

TEST_CASE("what is no quantity, or out of range, is refused") {
  for (const char* text : {"",    " 1",    "1 ",   "1 Gi",        "1K",
                           "1kb", "1gi",   "1e",   "1e+",         "1e3k",
                           "--1", "1.2.3", "0x10", "1_000",       "1,5",
                           "inf", "NaN",   "1e30", "1e999999999", "1e99999999999999999999",
                           "much"}) {
    CHECK(canonical(text) == "refused");
  }
  CHECK(canonical(std::string(60, '9')) == "refused");
  CHECK(canonical("0." + std::string(500, '3')) == "333333334n");
  CHECK(canonical("1e-999999") == "1e-9");
}

TEST_CASE("amounts compare exactly whatever their suffix") {
  CHECK(parsed("1Ki") == parsed("1024"));
  CHECK(parsed("999m") < parsed("1"));
  CHECK(parsed("1Gi") > parsed("1G"));
  CHECK(parsed("9223372036854775807") < parsed("9223372036854775808"));
}

TEST_CASE("sums and products are exact, or nothing when out of range") {
  CHECK(add(parsed("500m"), parsed("1.5"))->text() == "2");
  CHECK(add(parsed("1Gi"), parsed("1Gi"))->text() == "2Gi");
  CHECK(add(Quantity(), parsed("1Gi"))->text() == "1Gi");
  CHECK(multiply(parsed("64Gi"), 8)->text() == "512Gi");
  CHECK(multiply(parsed("100m"), 10)->text() == "1");
  CHECK_FALSE(multiply(parsed("1e28"), 1000).has_value());
  CHECK_FALSE(add(parsed("1e29"), parsed("1e29")).has_value());
  CHECK_FALSE(parsed("1e28").whole_units().has_value());
  CHECK(parsed("1001m").whole_units() == 2);
  CHECK(Quantity::of(std::numeric_limits<std::int64_t>::min()).text() == "-9223372036854775808");
}

TEST_CASE("what is common is read as everything else is") {
  for (const char* digits : {"1", "7", "96", "512", "1500", "999999", "1000000", "007", "000"}) {
    for (const char* suffix : {"", "Ki", "Mi", "Gi", "Ti"}) {
      const std::string text = std::string(digits) + suffix;
      INFO(text);
      // A sign or a point lead past the short way.
      CHECK(canonical(text) == canonical("+" + text));
      const auto plain = Quantity::parse(text);
      const auto signed_one = Quantity::parse("+" + text);
      REQUIRE(plain.has_value());
      REQUIRE(signed_one.has_value());
      CHECK(plain->whole_units() == signed_one->whole_units());
    }
  }
  for (const char* text : {"1i", "1Kii", "1KI", "1K", "1 Gi", "i1", "12x"}) {
    INFO(text);
    CHECK(canonical(text) == "refused");
  }
}
