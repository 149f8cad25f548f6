#include "driver/format/text_layout.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

namespace {

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  append_wrapped(text, indent, width, out);
  return out;
}

Table two_rows() {
  return {"things",
          {{"thing", "name"}, {"parts", "parts", 9, true}, {"more", "more", 0, false, false}},
          {{{"a"}, {"one", "two", "three"}, {"x|y"}}, {{"long-name"}, {}, {"<z>"}}}};
}

}  // namespace

TEST_CASE("text is wrapped at words and indented") {
  CHECK(wrapped("", 2, 10).empty());
  CHECK(wrapped("a b c", 2, 5) == "  a b\n  c\n");
  CHECK(wrapped("a\nb", 0, 10) == "a b\n");
  CHECK(wrapped("a\n\nb", 1, 10) == " a\n\n b\n");
  CHECK(wrapped("muchtoolong a", 1, 4) == " muchtoolong\n a\n");
  CHECK(wrapped("   a", 0, 9) == "a\n");
}

TEST_CASE("columns are characters, not bytes") {
  CHECK(wrapped("éé éé", 0, 5) == "éé éé\n");
}

TEST_CASE("a table as text has aligned columns without trailing spaces") {
  CHECK(table_text(two_rows()) ==
        "THING      PARTS\n"
        "a          one, two,\n"
        "           three\n"
        "long-name\n");
}

TEST_CASE("a table as Markdown has every column and escapes what it would read") {
  CHECK(table_markdown(two_rows()) ==
        "| thing | parts | more |\n"
        "| --- | --- | --- |\n"
        "| a | one, two, three | x\\|y |\n"
        "| long-name |  | \\<z> |\n");
}

TEST_CASE("a table as JSON has lists where the column is one") {
  const std::string json = table_json(two_rows());
  CHECK(json.starts_with("{\"version\": 1, \"things\": ["));
  CHECK(json.find("\"three\"") != std::string::npos);
  CHECK(json.find("\"parts\": []") != std::string::npos);
}
