#include "tree/scalar.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

namespace {

/// The kinds for PyYAML, go-yaml v2 and YAML 1.2, by their first letters.
std::string kinds(std::string_view text) {
  const PlainScalar scalar = classify_plain(text);
  std::string result;
  for (Kind kind : {scalar.yaml11, scalar.kubernetes, scalar.yaml12}) result += word(kind)[0];
  return result;
}

std::string decimal(std::string_view text) {
  Arena arena;
  return std::string(decimal_text(text, arena));
}

}  // namespace

TEST_CASE("words are booleans, nulls and strings as each reader has it") {
  for (const char* text : {"true", "True", "TRUE", "false"}) CHECK(kinds(text) == "bbb");
  for (const char* text : {"yes", "No", "ON", "off"}) CHECK(kinds(text) == "bbs");
  for (const char* text : {"y", "Y", "n", "N"}) CHECK(kinds(text) == "sbs");
  for (const char* text : {"", "~", "null", "Null", "NULL"}) CHECK(kinds(text) == "nnn");
  for (const char* text : {"tRUE", "yEs", "nuLL", "~~", "none", "truee", "oN"}) {
    CHECK(kinds(text) == "sss");
  }
  CHECK(classify_plain("<<").special == Special::Merge);
  CHECK(classify_plain("=").special == Special::Default);
}

TEST_CASE("integers are the same to all readers only in plain decimal and 0x") {
  for (const char* text : {"0", "-1", "+7", "8080", "0x1F", "99999999999999999999999999"}) {
    INFO(text);
    CHECK(kinds(text)[0] == 'i');
    CHECK(kinds(text)[2] == 'i');
    CHECK(classify_plain(text).same_value);
  }
  CHECK(kinds("0o17") == "sii");
  CHECK(kinds("0b11") == "iis");
  CHECK(kinds("1_000") == "iis");
  CHECK(kinds("1:30") == "iss");
  CHECK(kinds("22:22") == "iss");
  CHECK(kinds("8080:80") == "sss");
  CHECK(kinds("0X1F") == "sis");
  CHECK(kinds("+0x1F") == "iis");
  CHECK(kinds("08") == "sni");
  CHECK(kinds("012") == "iii");
  CHECK_FALSE(classify_plain("012").same_value);
  CHECK(classify_plain("007").same_value);
  CHECK(kinds("0x") == "sss");
  CHECK(kinds("-") == "sss");
}

TEST_CASE("floats, infinities and dates") {
  for (const char* text : {".5", "1.5", "-1.", "1.5e+3", "6.02E-23", ".inf", "-.Inf", ".nan"}) {
    INFO(text);
    CHECK(kinds(text) == "nnn");
    CHECK(classify_plain(text).yaml12 == Kind::Float);
  }
  CHECK(kinds("1e3") == "snn");
  CHECK(kinds("1.5e3") == "snn");
  CHECK(kinds("-.5") == "snn");
  CHECK(kinds("1e999") == "ssn");
  CHECK(kinds("1e-999") == "snn");
  CHECK(kinds("+.nan") == "sss");
  CHECK(kinds("1.2.3") == "sss");
  CHECK(kinds("10.0.0.1") == "sss");
  CHECK(kinds("190:20:30.15") == "nss");
  for (const char* text : {"2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-1-4 2:59:43 Z"}) {
    INFO(text);
    CHECK(classify_plain(text).special == Special::Timestamp);
    CHECK(classify_plain(text).ambiguous());
  }
  CHECK(classify_plain("2001-1-4").special == Special::None);
  CHECK(classify_plain("2001-12-14T").special == Special::None);
}

TEST_CASE("a text is a plain string only where nothing else can be read") {
  for (const char* text : {"a", "10Gi", "500m", "nvcr.io/nvidia/nemo:25.07", "-x", "a#b", "a:b",
                           "--config", "ü", "yes please", "1.2.3"}) {
    INFO(text);
    CHECK(plain_is_string(text));
  }
  for (const char* text :
       {"",    "yes", "012",  "1e3", "2001-12-14", "a: b", "a #b",     " a",          "a ",
        "a:",  "- a", "-",    "---", "...",        "[a",   "{",        "*a",          "&a",
        "!a",  "|",   ">",    "'a",  "\"",         "%a",   "@a",       "`a",          "?a",
        "a\n", "a\t", "\x01", "#",   "\xc2\x85",   "\xff", "\xe2\x80", "\xe2\x80\xa8"}) {
    INFO(text);
    CHECK_FALSE(plain_is_string(text));
  }
}

TEST_CASE("integers in other bases become decimal, and those beyond 64 bits stay as they are") {
  CHECK(decimal("0x1F") == "31");
  CHECK(decimal("0644") == "420");
  CHECK(decimal("0o17") == "15");
  CHECK(decimal("-0b11") == "-3");
  CHECK(decimal("0b-1") == "-1");
  CHECK(decimal("+5") == "5");
  CHECK(decimal("-0") == "0");
  CHECK(decimal("00") == "0");
  CHECK(decimal("1_000") == "1000");
  CHECK(decimal("18446744073709551615") == "18446744073709551615");
  CHECK(decimal("0xFFFFFFFFFFFFFFFF") == "18446744073709551615");
  CHECK(decimal("99999999999999999999") == "99999999999999999999");
  CHECK(decimal("0x1FFFFFFFFFFFFFFFF") == "0x1FFFFFFFFFFFFFFFF");
}
