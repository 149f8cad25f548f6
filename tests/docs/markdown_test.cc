#include "docs/markdown.h"

#include <catch2/catch_test_macros.hpp>

namespace trainyard::docs {
namespace {

TEST_CASE("a block has its language, its text, its line and the comment above it") {
  const Page page = parse_page("x.md",
                               "text\n<!-- with: a.yaml -->\n```yaml\na: `1`\n\nb: 2\n```\n"
                               "more\n```\nplain\n```\n");
  REQUIRE(page.blocks.size() == 2);
  CHECK(page.blocks[0].line == 3);
  CHECK(page.blocks[0].language == "yaml");
  CHECK(page.blocks[0].text == "a: `1`\n\nb: 2\n");
  CHECK(page.blocks[0].comment == "with: a.yaml");
  CHECK(page.blocks[1].language.empty());
  CHECK(page.blocks[1].comment.empty());
  CHECK(page.code.empty());
}

TEST_CASE("code within a line comes with the word in front of it, links with their target") {
  const Page page =
      parse_page("x.md", "see rule `storage` and `a b`.\n| (kind `x`) | [t](u/v.md) |\n");
  REQUIRE(page.code.size() == 3);
  CHECK(page.code[0].before == "rule");
  CHECK(page.code[0].text == "storage");
  CHECK(page.code[1].text == "a b");
  CHECK(page.code[2].before == "kind");
  CHECK(page.code[2].line == 2);
  REQUIRE(page.links.size() == 1);
  CHECK(page.links[0].text == "u/v.md");
}

TEST_CASE("a fence that never closes and a lone backtick are no code") {
  const Page page = parse_page("x.md", "a ` b\n```yaml\nx: 1");
  CHECK(page.code.empty());
  REQUIRE(page.blocks.size() == 1);
  CHECK(page.blocks[0].text == "x: 1\n");
}

}  // namespace
}  // namespace trainyard::docs
