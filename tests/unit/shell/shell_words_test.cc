// Command lines survive a shell: what is quoted comes back word for word.
#include "shell/shell_words.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

using namespace trainyard;

using Words = std::vector<std::string>;

TEST_CASE("a word that no shell would change stays as it is") {
  for (const char* word : {"torchrun", "--lr=0.1", "a/b_c.py", "x@y:1%+,-"}) {
    CHECK(shell_quoted(word) == word);
  }
}

TEST_CASE("every other word is quoted") {
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("a b") == "'a b'");
  CHECK(shell_quoted("it's") == R"('it'\''s')");
  CHECK(shell_quoted("$(RANK)") == "'$(RANK)'");
  CHECK(shell_quoted("a\nb") == "'a\nb'");
  CHECK(shell_quoted("*") == "'*'");
  CHECK(shell_quoted("~") == "'~'");
  CHECK(shell_quoted("\\") == "'\\'");
}

TEST_CASE("a line is split at spaces outside of quotes") {
  CHECK(shell_words("") == Words{});
  CHECK(shell_words(" \t\n") == Words{});
  CHECK(shell_words("  a  b\tc\nd ") == Words{"a", "b", "c", "d"});
  CHECK(shell_words("''") == Words{""});
  CHECK(shell_words("a '' b") == Words{"a", "", "b"});
  CHECK(shell_words("--x='a b'c") == Words{"--x=a bc"});
  CHECK(shell_words("a  'b $(C) d' \"e 'f'\" g\\ h ''") ==
        Words{"a", "b $(C) d", "e 'f'", "g h", ""});
}

TEST_CASE("a backslash takes the next character as it is, in double quotes only some") {
  CHECK(shell_words(R"(a\ b)") == Words{"a b"});
  CHECK(shell_words(R"("a\"b\\c\d")") == Words{R"(a"b\c\d)"});
  CHECK(shell_words(R"('a\b')") == Words{R"(a\b)"});
  CHECK(shell_words("a\\") == Words{"a\\"});
  CHECK(shell_words("\"it's\"") == Words{"it's"});
}

TEST_CASE("an open quote makes no words") {
  CHECK(shell_words("'a") == std::nullopt);
  CHECK(shell_words("a \"b") == std::nullopt);
  CHECK(shell_words(R"("a\")") == std::nullopt);
}

TEST_CASE("random words come back from a line as they went into it") {
  constexpr std::string_view kNasty = "ab '\"\\$`\n\t;&|*?~(){}[]<>#!=%\xc3\xa9";
  std::mt19937 random(1);
  const auto below = [&](std::size_t count) { return random() % count; };
  for (int run = 0; run < 2000; ++run) {
    Words words(below(6));
    std::string line;
    for (std::string& word : words) {
      for (std::size_t left = below(9); left > 0; --left) word += kNasty[below(kNasty.size())];
      line += (line.empty() ? "" : " ") + shell_quoted(word);
    }
    INFO(line);
    REQUIRE(shell_words(line) == words);
  }
}
