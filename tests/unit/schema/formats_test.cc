#include "schema/formats.h"

#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <string>

using namespace trainyard;

namespace {

void accepts(std::string_view name, std::initializer_list<std::string_view> texts) {
  Patterns patterns;
  const Format format = format_of(name);
  REQUIRE(format != Format::None);
  for (std::string_view text : texts) {
    INFO(name << " " << text);
    CHECK(has_format(format, text, patterns));
  }
}

void refuses(std::string_view name, std::initializer_list<std::string_view> texts) {
  Patterns patterns;
  const Format format = format_of(name);
  REQUIRE(format != Format::None);
  for (std::string_view text : texts) {
    INFO(name << " " << text);
    CHECK_FALSE(has_format(format, text, patterns));
  }
}

}  // namespace

TEST_CASE("formats are known by name, dashes aside, and others are not enforced") {
  CHECK(format_of("date-time") == Format::DateTime);
  CHECK(format_of("datetime") == Format::DateTime);
  CHECK(format_of("k8s-short-name") == Format::ShortName);
  CHECK(format_of("password") == Format::None);
  CHECK(format_of("no-such-format") == Format::None);
  CHECK(format_of("") == Format::None);
}

TEST_CASE("addresses") {
  accepts("ipv4", {"10.0.0.1", "255.255.255.255", "010.0.0.1", "::ffff:1.2.3.4"});
  refuses("ipv4", {"", "10.0.0", "10.0.0.256", "10.0.0.1.2", "a.b.c.d", "::1", "10.0.0.1 "});
  accepts("ipv6", {"::", "::1", "fd00::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::8"});
  refuses("ipv6", {"", ":", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "g::", "12345::",
                   "1:2:3:4:5:6:7:8::", "10.0.0.1", ":1:2:3:4:5:6:7", "fe80::1%eth0", ":::"});
  accepts("cidr", {"10.0.0.0/8", "::/0", "fd00::/128", "0.0.0.0/0"});
  refuses("cidr", {"10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "/8"});
  accepts("mac",
          {"01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef"});
  refuses("mac", {"", "01:23:45:67:89", "01:23:45:67:89-ab", "0123456789ab", "g1:23:45:67:89:ab"});
  accepts("hostname", {"a", "localhost", "node-1.example.com", "a.bc"});
  refuses("hostname", {"", "-a", "a_b.com", "a..b", "a b"});
}

TEST_CASE("URIs and mail addresses") {
  accepts("uri", {"http://a/b?c", "/a/b", "s3://bucket/key", "mailto:x", "*", "http://[::1]:80/",
                  "http://u:p@h:80/%20"});
  refuses("uri", {"", "a/b", ":x", "http://a b/", "http://h:port/", "/%zz", "/a\x7f", "1a://b",
                  "http://[::1/"});
  accepts("email", {"a@b", "a.b@c.de", "A B <a@b.c>", "\"a b\"@c.d", "a@[10.0.0.1]"});
  refuses("email", {"", "a", "a@", "@b", "a@b@c", "a..b@c", ".a@b", "a b@c", "<a@b", "a@b."});
}

TEST_CASE("times") {
  accepts("date", {"2025-01-31", "2024-02-29", "2000-02-29"});
  refuses("date", {"", "2025-1-31", "2025-02-29", "1900-02-29", "2025-13-01", "2025-00-01",
                   "2025-01-00", "2025/01/01", "2025-01-31T00:00:00Z"});
  accepts("date-time",
          {"2025-01-31T12:00:00Z", "2025-01-31t12:00:00.123z", "2025-01-31T23:59:59+02:00"});
  refuses("date-time", {"", "2025-01-31", "2025-01-31 12:00:00Z", "2025-01-31T24:00:00Z",
                        "2025-01-31T12:60:00Z", "2025-01-31T12:00:00", "2025-01-31T12:00:00.Z",
                        "2025-02-30T12:00:00Z", "2025-01-31T12:00:00+0200"});
  accepts("duration", {"0", "1h", "1h30m", "1.5h", "-2m", "100ms", "3 days", "2 weeks", "5 µs"});
  refuses("duration", {"", "1", "h", "1x", "forever", "99999999999999999999h"});
}

TEST_CASE("numbers of all sorts") {
  accepts("uuid", {"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"});
  refuses("uuid", {"", "123e4567", "123e4567-e89b-12d3-a456-42661417400g"});
  accepts("uuid4", {"123e4567-e89b-42d3-a456-426614174000"});
  refuses("uuid4", {"123e4567-e89b-12d3-a456-426614174000"});
  accepts("isbn", {"0321751043", "978-0321751041", "978 0321751041"});
  refuses("isbn", {"0321751044", "978-0321751042", ""});
  refuses("isbn13", {"0321751043"});
  accepts("creditcard", {"4111 1111 1111 1111"});
  refuses("creditcard", {"4111 1111 1111 1112", "1234", ""});
  accepts("ssn", {"111-22-3333", "111 22 3333"});
  refuses("ssn", {"111223333", "1111-2-3333", ""});
  accepts("bsonobjectid", {"507f1f77bcf86cd799439011"});
  refuses("bsonobjectid", {"507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g", ""});
}

TEST_CASE("colours and base64") {
  accepts("hexcolor", {"#fff", "fff", "#FFFFFF"});
  refuses("hexcolor", {"", "#ffff", "#ggg"});
  accepts("rgbcolor", {"rgb(0,255,0)", "rgb( 1 , 2 , 3 )"});
  refuses("rgbcolor", {"rgb(0,256,0)", "rgb(0,0)", ""});
  accepts("byte", {"YQ==", "YWI=", "YWJj", "YWJjYWJj"});
  refuses("byte", {"", "YWJj\nYWJj", "Y", "YQ", "YQ=", "YQ===", "Y-_=", "Y=Q=", "===="});
  accepts("k8s-short-name", {"a-b"});
  refuses("k8s-short-name", {"a.b", "A"});
  accepts("k8s-long-name", {"a.b"});
}
