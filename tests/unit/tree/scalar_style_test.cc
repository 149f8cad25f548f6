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

TEST_CASE("one byte that needs care is seen wherever it stands, in texts of all sizes") {
  for (const char odd : {'\t', '\n', '\x01', '\x7F', '\x80'}) {
    for (std::size_t size = 1; size <= 40; ++size) {
      const std::string plain(size, 'a');
      CHECK(choose_style(plain, StringPlace::Value) == StringStyle::Plain);
      for (std::size_t at = 0; at < size; ++at) {
        std::string text = plain;
        text[at] = odd;
        INFO(size << ", " << at);
        CHECK(choose_style(text, StringPlace::Key) == StringStyle::DoubleQuoted);
      }
    }
  }
}

TEST_CASE("marks end a plain text only beside a space or at its end") {
  for (std::size_t size = 3; size <= 40; ++size) {
    for (std::size_t at = 1; at + 1 < size; ++at) {
      std::string text(size, 'a');
      text[at] = ':';
      INFO(text);
      CHECK(choose_style(text, StringPlace::Value) == StringStyle::Plain);
      text[at + 1] = ' ';
      CHECK(choose_style(text, StringPlace::Value) == StringStyle::DoubleQuoted);
    }
  }
}
