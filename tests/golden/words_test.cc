#include "golden/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard::golden;

namespace {

std::vector<std::string> words(std::string_view line) {
  const auto command = parse_command(line);
  REQUIRE(command);
  return command->words;
}

}  // namespace

TEST_CASE("a line is split as a shell does") {
  CHECK(words("build  a.yaml\t-o out ") ==
        std::vector<std::string>{"build", "a.yaml", "-o", "out"});
  CHECK(words("why --at 'Job/x:spec.env[A B]' \"\" a\\ b 'it'\"'\"s") ==
        std::vector<std::string>{"why", "--at", "Job/x:spec.env[A B]", "", "a b", "it's"});
  CHECK(words("") == std::vector<std::string>{});
}

TEST_CASE("standard input is a file behind a bare `<`") {
  const auto command = parse_command("build - < 'a b.yaml' -v");
  REQUIRE(command);
  CHECK(command->words == std::vector<std::string>{"build", "-", "-v"});
  CHECK(command->input == "a b.yaml");
  CHECK(words("'<' \\<") == std::vector<std::string>{"<", "<"});
}

TEST_CASE("an open quote and a `<` without a file are refused") {
  CHECK_FALSE(parse_command("'a"));
  CHECK_FALSE(parse_command("\"a"));
  CHECK_FALSE(parse_command("a <"));
  CHECK_FALSE(parse_commands("a\n'b\n"));
}

TEST_CASE("blank and comment lines are no commands") {
  const auto commands = parse_commands("# x\n\n  build a\n\t# y\nwhy b");
  REQUIRE(commands);
  REQUIRE(commands->size() == 2);
  CHECK((*commands)[1].words == std::vector<std::string>{"why", "b"});
}
