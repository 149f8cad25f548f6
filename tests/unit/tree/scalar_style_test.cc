#include "tree/scalar_style.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace trainyard;

TEST_CASE("the style of a text does not depend on what was written before it") {
  std::vector<std::string> texts = {"",   "a",    "no",  "8",    "1e3",
                                    "on", "x: y", "# x", "it's", "\"q\""};
  for (int i = 0; i < 3000; ++i) texts.push_back("name-" + std::to_string(i));
  for (int i = 0; i < 3000; ++i) texts.push_back(std::to_string(i));
  std::vector<StringStyle> first;
  first.reserve(texts.size());
  for (const std::string& text : texts) first.push_back(choose_style(text, StringPlace::Value));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(texts[i]);
    CHECK(choose_style(texts[i], StringPlace::Value) == first[i]);
    CHECK(choose_style(texts[i], StringPlace::Key) == first[i]);
    const bool is_name = texts[i].starts_with("name-") || texts[i] == "a";
    CHECK((first[i] == StringStyle::Plain) == (is_name || texts[i] == "it's"));
  }
}

TEST_CASE("a text of several lines is a block as a value and no block as a key, in any order") {
  for (int round = 0; round < 2; ++round) {
    CHECK(choose_style("a\nb", StringPlace::Value) == StringStyle::Literal);
    CHECK(choose_style("a\nb", StringPlace::Key) == StringStyle::DoubleQuoted);
    CHECK(choose_style("a\n\n", StringPlace::Value) == StringStyle::Literal);
    CHECK(choose_style("a\n\n", StringPlace::LastValue) == StringStyle::DoubleQuoted);
  }
}

TEST_CASE("texts that differ in one byte only have styles of their own") {
  const std::string plain(20, 'a');
  CHECK(choose_style(plain, StringPlace::Value) == StringStyle::Plain);
  for (std::size_t at = 0; at < plain.size(); ++at) {
    std::string text = plain;
    text[at] = '\t';
    INFO(at);
    CHECK(choose_style(text, StringPlace::Value) != StringStyle::Plain);
    CHECK(choose_style(plain, StringPlace::Value) == StringStyle::Plain);
  }
}
