#include "schema/names.h"

#include <catch2/catch_test_macros.hpp>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

using namespace trainyard;

namespace {

std::string times(std::size_t count, char c) {
  return std::string(count, c);
}

}  // namespace

TEST_CASE("an RFC 1123 label is lower case, digits and dashes, at most 63") {
  for (const char* good : {"a", "0", "a-b", "0abc", "a--b"}) CHECK_FALSE(why_not_dns_label(good));
  CHECK_FALSE(why_not_dns_label(times(63, 'a')));
  CHECK(*why_not_dns_label(times(64, 'a')) == "has 64 characters, at most 63 are allowed");
  CHECK(*why_not_dns_label("") == "is empty");
  CHECK(*why_not_dns_label("aB") ==
        "holds `B`, only lower-case letters, digits and `-` are allowed");
  CHECK(*why_not_dns_label("-a") ==
        "starts with `-`, it must start with a lower-case letter or digit");
  CHECK(*why_not_dns_label("a-") == "ends with `-`, it must end with a lower-case letter or digit");
  CHECK(*why_not_dns_label("aä") ==
        "holds `ä`, only lower-case letters, digits and `-` are allowed");
  CHECK(why_not_dns_label("a.b"));
  CHECK(why_not_dns_label("a\nb"));
  CHECK(why_not_dns_label(std::string_view("a\0b", 3)));
}

TEST_CASE("a subdomain is labels joined by dots, at most 253; its parts may be long") {
  for (const char* good : {"a", "a.b", "0.1", "a-b.c"}) CHECK_FALSE(why_not_subdomain(good));
  CHECK_FALSE(why_not_subdomain(times(253, 'a')));
  CHECK(why_not_subdomain(times(254, 'a')));
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "-a.b", "a.-b", "a-.b", "A", "a_b"}) {
    INFO(bad);
    CHECK(why_not_subdomain(bad));
  }
}

TEST_CASE("the name of a Service starts with a letter") {
  CHECK_FALSE(why_not_service_name("a0"));
  CHECK(*why_not_service_name("0abc") == "starts with the digit `0`, it must start with a letter");
  CHECK(why_not_service_name("a.b"));
}

TEST_CASE("label keys have an optional prefix, annotation keys one in any case") {
  for (const char* good : {"a", "A_b.c", "a.b/c", "nvidia.com/gpu.product"}) {
    INFO(good);
    CHECK_FALSE(why_not_label_key(good));
  }
  for (const char* bad : {"", "/a", "a/", "a/b/c", "-a", "a-", "A.b/c", "a b", "a./b"}) {
    INFO(bad);
    CHECK(why_not_label_key(bad));
  }
  CHECK_FALSE(why_not_annotation_key("A.b/c"));
  CHECK(why_not_label_key("a/" + times(64, 'b')));
  CHECK_FALSE(why_not_label_key(times(253, 'a') + "/" + times(63, 'b')));
}

TEST_CASE("label values may be empty and upper case") {
  for (const char* good : {"", "A", "a_B.c", "1"}) CHECK_FALSE(why_not_label_value(good));
  for (const char* bad : {"-", "a ", "_a", "a/b", "ä"}) CHECK(why_not_label_value(bad));
  CHECK_FALSE(why_not_label_value(times(63, 'a')));
  CHECK(why_not_label_value(times(64, 'a')));
}

TEST_CASE("environment variable names have a strict and a portable form") {
  for (const char* good : {"A", "_a", "a.b-c", ".a", "-a"}) CHECK_FALSE(why_not_env_name(good));
  for (const char* bad : {"", "1A", ".", "..", "..a", "A B", "A="}) CHECK(why_not_env_name(bad));
  CHECK_FALSE(why_not_shell_name("NODE_RANK"));
  for (const char* bad : {"", "1A", "a.b", "a-b"}) CHECK(why_not_shell_name(bad));
}

TEST_CASE("port names are short, lower case and have a letter") {
  for (const char* good : {"http", "8a", "a-b"}) CHECK_FALSE(why_not_port_name(good));
  for (const char* bad : {"", "80", "a--b", "-a", "a-", "A", "torch-distributed"}) {
    INFO(bad);
    CHECK(why_not_port_name(bad));
  }
  CHECK_FALSE(why_not_port_name(times(15, 'a')));
  CHECK(why_not_port_name(times(16, 'a')));
}

TEST_CASE("keys of ConfigMaps are file names") {
  for (const char* good : {"a", ".bashrc", "A-b_c.d", "-"}) CHECK_FALSE(why_not_config_key(good));
  for (const char* bad : {"", ".", "..", "..a", "a/b", "a b"}) CHECK(why_not_config_key(bad));
  CHECK(why_not_config_key(times(254, 'a')));
}

TEST_CASE("the rules of names are the patterns that Kubernetes states") {
  // kubernetes/apimachinery pkg/util/validation/validation.go
  const std::string label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  const std::string subdomain = label + "(\\." + label + ")*";
  const std::string part = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  const std::regex is_subdomain(subdomain);
  const std::regex is_key("(" + subdomain + "/)?" + part);
  const std::regex is_value("(" + part + ")?");
  const std::string_view alphabet = "aZ-./";
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i];
    INFO(text);
    CHECK(!why_not_subdomain(text) == std::regex_match(text, is_subdomain));
    CHECK(!why_not_label_key(text) == std::regex_match(text, is_key));
    CHECK(!why_not_label_value(text) == std::regex_match(text, is_value));
    if (text.size() == 5) continue;
    for (char c : alphabet) texts.push_back(text + c);
  }
}
