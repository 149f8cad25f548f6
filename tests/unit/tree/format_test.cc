#include "tree/format.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

using namespace trainyard;

namespace {

/// The formatted text, or `refused: message`.
std::string format(const std::string& text, const FormatOptions& options = {}) {
  SourceMap sources;
  Sink sink;
  const auto result = format_yaml(sources, sources.add("in.yaml", text), sink, options);
  if (result) {
    CHECK_FALSE(sink.has_errors());
    return *result;
  }
  REQUIRE(sink.has_errors());
  return "refused: " + sink.sorted().front().message;
}

struct Case {
  std::string what, in, out;
};

void check(const std::vector<Case>& cases, const FormatOptions& options = {}) {
  for (const Case& c : cases) {
    INFO(c.what << "\n" << c.in);
    const std::string result = format(c.in, options);
    CHECK(result == c.out);
    if (!result.starts_with("refused")) CHECK(format(result, options) == result);
  }
}

std::string same(const std::string& text) {
  const std::string result = format(text);
  INFO(text);
  return result == text ? "same" : result;
}

}  // namespace

TEST_CASE("layout is that of the writer") {
  check({
      {"steps of two", "a:\n    b:\n        c: 1\n", "a:\n  b:\n    c: 1\n"},
      {"lists under their key", "a:\n  - 1\n  - b: 2\n    c: 3\n", "a:\n- 1\n- b: 2\n  c: 3\n"},
      {"a root list", "  - a\n  - b\n", "- a\n- b\n"},
      {"lists of lists", "-   - a\n    - b\n-\n  - c\n", "- - a\n  - b\n- - c\n"},
      {"spaces around colons and at ends", "a :   1   \nb:\t2\n", "a: 1\nb: 2\n"},
      {"line breaks of Windows", "a: 1\r\n# c\r\nb:\r\n- x\r\n", "a: 1\n# c\nb:\n- x\n"},
      {"no line break at the end", "a: 1", "a: 1\n"},
      {"a byte order mark",
       "\xEF\xBB\xBF"
       "a: 1\n",
       "a: 1\n"},
      {"values on the next line", "a:\n  x\nb:\n  'z'\n", "a: x\nb: z\n"},
      {"a dash on a line of its own", "-\n  a: 1\n-\n  x\n", "- a: 1\n- x\n"},
      {"an indented document", "  a: 1\n  b: 2\n", "a: 1\nb: 2\n"},
  });
}

TEST_CASE("quotes stay where a reader would take the text for something else") {
  check({
      {"needless", "a: 'x'\nb: \"y z\"\n'c': 1\n", "a: x\nb: y z\nc: 1\n"},
      {"needed", "a: '1'\nb: \"yes\"\nc: '1e3'\nd: ''\n'on': 1\n",
       "a: \"1\"\nb: \"yes\"\nc: \"1e3\"\nd: \"\"\n\"on\": 1\n"},
      {"quotes within", "a: \"say \\\"x\\\": y\"\n", "a: 'say \"x\": y'\n"},
      {"commas in flow", "a: [ 'x, y', 'z' ]\n", "a: [\"x, y\", z]\n"},
      {"a break within quotes stays", "a: \"x\\ny\"\n", "a: \"x\\ny\"\n"},
      {"words", "a: True\nb: ~\nc:\nd: null\ne: 0.50\n",
       "a: true\nb: null\nc:\nd: null\ne: 0.50\n"},
  });
}

TEST_CASE("comments stay with what they are about") {
  CHECK(same("# file\n\n# a\na: 1 # one\n# b\nb: # two\n  # c\n  c: 3 # three\n  # end of b\n# "
             "end\n") == "same");
  check({
      {"trailing", "a:   1     # x\nb:    # y\n    c: 2   #z\n", "a: 1 # x\nb: # y\n  c: 2 #z\n"},
      {"own lines follow their level", "a:\n    # x\n    b: 1\n    # y\n# z\nc: 2\n",
       "a:\n  # x\n  b: 1\n  # y\n# z\nc: 2\n"},
      {"commented-out entries", "a:\n      b: 1\n      # c: 2\nd: 3\n",
       "a:\n  b: 1\n  # c: 2\nd: 3\n"},
      {"below a list", "a:\n- 1\n  # x\nb: 2\n", "a:\n- 1\n  # x\nb: 2\n"},
      {"below an indented list", "a:\n    - 1\n    # x\nb: 2\n", "a:\n- 1\n  # x\nb: 2\n"},
      {"after a list, at the level of its key", "a:\n- 1\n# x\nb: 2\n", "a:\n- 1\n# x\nb: 2\n"},
      {"in items", "-   # x\n    a: 1\n# y\n-   b: 2 # z\n", "- # x\n  a: 1\n# y\n- b: 2 # z\n"},
      {"above the first entry of an item", "-\n  # x\n  a: 1\n", "-\n  # x\n  a: 1\n"},
      {"between key and value", "a: # x\n    # y\n    1 # z\nb: 2\n",
       "a: # x\n  # y\n  1 # z\nb: 2\n"},
      {"several levels end", "a:\n  b:\n    c: 1\n    # in b\n  # in a\n# out\nd: 1\n",
       "a:\n  b:\n    c: 1\n    # in b\n  # in a\n# out\nd: 1\n"},
      {"a deeper comment after a shallow one", "a:\n  b:\n    c: 1\n  # in a\n    # odd\nd: 1\n",
       "a:\n  b:\n    c: 1\n  # in a\n  # odd\nd: 1\n"},
      {"at the end", "a:\n  - 1\n# end\n\n\n", "a:\n- 1\n# end\n"},
      {"without values", "# only\n\n\n#   comments\n", "# only\n\n#   comments\n"},
      {"a hash that is no comment", "a: x#y\nb: '# z'\n", "a: x#y\nb: \"# z\"\n"},
      {"nothing at all", "", ""},
      {"nothing but empty lines", "\n\n", ""},
  });
}

TEST_CASE("an empty value keeps its comment") {
  check({
      {"map", "a:   # x\n# y\nb: 1\n", "a: # x\n# y\nb: 1\n"},
      {"list", "-   # x\n# y\n-   b\n", "- # x\n# y\n- b\n"},
      {"last", "a:\n  b: # x\n  # y\n", "a:\n  b: # x\n  # y\n"},
  });
}

TEST_CASE("one empty line between groups stays, others go") {
  check({
      {"between", "a: 1\n\n\n\nb: 2\n", "a: 1\n\nb: 2\n"},
      {"around comments", "a: 1\n\n\n# x\n\n# y\n\nb: 2\n", "a: 1\n\n# x\n\n# y\n\nb: 2\n"},
      {"at the start and end", "\n\na: 1\n\n\n", "a: 1\n"},
      {"at the start of a block", "a:\n\n  b: 1\n\n  c: 2\n", "a:\n  b: 1\n\n  c: 2\n"},
      {"at the end of a block", "a:\n  b: 1\n\nc: 2\n", "a:\n  b: 1\n\nc: 2\n"},
      {"between items", "- a: 1\n\n- b: 2\n", "- a: 1\n\n- b: 2\n"},
      {"lines of blanks", "a: 1\n   \n  \nb: 2\n", "a: 1\n\nb: 2\n"},
      {"before a comment that ends a block", "a:\n  b: 1\n\n  # x\n\nc: 2\n",
       "a:\n  b: 1\n\n  # x\n\nc: 2\n"},
  });
}

TEST_CASE("document markers stay, with what stands around them") {
  check({
      {"two", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: 2\n"},
      {"first", "# x\n---\n# y\na: 1\n", "# x\n---\n# y\na: 1\n"},
      {"comment beside", "---   # x\na: 1\n--- # y\nb: 2\n", "--- # x\na: 1\n--- # y\nb: 2\n"},
      {"ends", "a: 1\n...\n# x\n---\nb: 2\n...\n", "a: 1\n...\n# x\n---\nb: 2\n...\n"},
      {"empty documents", "---\n---\na: 1\n---\n", "---\n---\na: 1\n---\n"},
      {"value beside", "--- {a: 1}\n--- [b]\n--- text\n", "---\n{a: 1}\n---\n[b]\n---\ntext\n"},
      {"end of block before a marker", "a:\n  b: 1\n  # x\n---\nc: 1\n",
       "a:\n  b: 1\n  # x\n---\nc: 1\n"},
      {"empty lines", "a: 1\n\n---\n\nb: 2\n", "a: 1\n\n---\nb: 2\n"},
  });
}

TEST_CASE("short flow collections stay on their line, others become blocks") {
  const std::string word(30, 'w');
  check({
      {"spacing", "a: {b:   1,c: [ 2,3 ] }\nd: []\ne: { }\n",
       "a: {b: 1, c: [2, 3]}\nd: []\ne: {}\n"},
      {"several lines that fit one", "a: [\n  1,\n  2,\n]\nb: {\n  c: 1\n}\n",
       "a: [1, 2]\nb: {c: 1}\n"},
      {"too long", "a: [" + word + ", " + word + ", " + word + ", x" + word + "]\n",
       "a:\n- " + word + "\n- " + word + "\n- " + word + "\n- x" + word + "\n"},
      {"inner ones stay", "a: {b: {c: 1}, d: [" + word + ", " + word + ", " + word + word + "]}\n",
       "a:\n  b: {c: 1}\n  d:\n  - " + word + "\n  - " + word + "\n  - " + word + word + "\n"},
      {"in lists", "- {name:   x}\n- [a,b]\n", "- {name: x}\n- [a, b]\n"},
      {"comments beside", "a: [1] # x\nb: {c: 1}   # y\n", "a: [1] # x\nb: {c: 1} # y\n"},
      {"comments inside", "a: [ # x\n  1, # one\n  # two\n  2\n  # end\n] # y\nb: 1\n",
       "a: # x\n# y\n- 1 # one\n# two\n- 2\n  # end\nb: 1\n"},
      {"comments inside a map", "a: {\n  b: 1, # one\n\n  # two\n  c: [2, 3], # three\n}\n",
       "a:\n  b: 1 # one\n\n  # two\n  c: [2, 3] # three\n"},
      {"empty with a comment", "a: [ # nothing yet\n]\nb: {\n  # none\n}\n",
       "# nothing yet\na: []\n# none\nb: {}\n"},
      {"nulls", "a: {b: , c}\n", "a: {b: null, c: null}\n"},
      {"a text of several lines", "a: [x, \"y\n  z\"]\n", "a:\n- x\n- \"y\n  z\"\n"},
      {"the root", "{a: 1, b: [2]}\n", "{a: 1, b: [2]}\n"},
      {"the root with comments", "# x\n{a: 1, # y\nb: 2}\n", "# x\na: 1 # y\nb: 2\n"},
  });
}

TEST_CASE("texts of several lines keep their lines") {
  check({
      {"literal", "a: |\n      x\n        y\n\n      z\nb: 1\n", "a: |\n  x\n    y\n\n  z\nb: 1\n"},
      {"folded", "a: >-\n    x\n    y\n\n\nb: 1\n", "a: >-\n  x\n  y\n\nb: 1\n"},
      {"kept line breaks", "a: |+\n    x\n\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n"},
      {"kept at the end", "a: |+\n    x\n\n", "a: |+\n  x\n\n"},
      {"stated indentation", "a:\n    b: |4\n          x\n        y\n",
       "a:\n  b: |2\n      x\n    y\n"},
      {"in a list", "a:\n    - |\n      x\n    - >\n      y\n", "a:\n- |\n  x\n- >\n  y\n"},
      {"in a list, then a comment", "a:\n  - |\n    x\n  # c\nb: 1\n", "a:\n- |\n  x\n# c\nb: 1\n"},
      {"comment in the header", "a: |   # c\n    x # no comment\nb: 1\n",
       "a: | # c\n  x # no comment\nb: 1\n"},
      {"no lines", "a: |\nb: >-\nc: |- # c\n", "a: |\nb: >-\nc: |- # c\n"},
      {"plain", "a: x\n     y\n\n     z # c\nb: 1\n", "a: x\n  y\n\n  z # c\nb: 1\n"},
      {"double quoted", "a: \"x  \n     y\\\n     z \\n\"\n", "a: \"x\n  y\\\n  z \\n\"\n"},
      {"escaped blanks at the end", "a: \"x\\ \n  y\"\n", "a: \"x\\ \n  y\"\n"},
      {"single quoted", "a: 'x\n\n     it''s'\n", "a: 'x\n\n  it''s'\n"},
      {"tabs within", "a: |\n    x\ty\n    \tz\n", "a: |\n  x\ty\n  \tz\n"},
  });
}

TEST_CASE("what would be lost is refused, by name") {
  const auto refused = [](const std::string& what) {
    return "refused: " + what + " would be lost or changed by formatting";
  };
  check({
      {"anchor", "a: &x 1\nb: *x\n", refused("an anchor")},
      {"anchor of a map", "a: &x\n  c: 1\nb: 2\n", refused("an anchor")},
      {"anchor of an item", "- &x a\n- *x\n", refused("an anchor")},
      {"tag", "a: !!str 1\n", refused("a tag")},
      {"tag of a list", "a: !!seq\n- 1\n", refused("a tag")},
      {"explicit key", "? a\n: 1\n", refused("a key with `?`")},
      {"directive", "%YAML 1.2\n---\na: 1\n", refused("a directive")},
      {"map without brackets", "a: [b: 1]\n", refused("this")},
  });
}

TEST_CASE("a text that is not YAML is refused with the reader's own report") {
  CHECK(format("a: [1\n").starts_with("refused: "));
  CHECK(format("a: 1\na: 2\n").starts_with("refused: "));
  CHECK(format("a: yes\n").starts_with("refused: unquoted `yes`"));
}

TEST_CASE("keys can be put in order, and take their comments along") {
  const std::map<std::string, std::size_t> ranks = {
      {"/kind", 0}, {"/metadata", 1}, {"/spec", 2}, {"spec.roles[]/name", 0}, {"spec/image", 0}};
  FormatOptions options;
  options.rank = [&](std::string_view path, std::string_view key) {
    const auto found = ranks.find(std::string(path) + "/" + std::string(key));
    return found == ranks.end() ? std::size_t{9} : found->second;
  };
  check({{"blocks",
          "# file\n\n# the spec\nspec:\n  run: a # r\n  # in spec\n\n# what\nkind: Job\nzzz: 1\n"
          "metadata: {b: 1, a: 2}\n",
          "# file\n\n# what\nkind: Job\nmetadata: {b: 1, a: 2}\n# the spec\nspec:\n  run: a # r\n"
          "  # in spec\nzzz: 1\n"},
         {"within lists and flow",
          "spec: {run: 1, image: 2}\n---\nspec:\n  roles:\n  - # x\n    b: 1\n    name: 2\n",
          "spec: {image: 2, run: 1}\n---\nspec:\n  roles:\n  - # x\n    name: 2\n    b: 1\n"}},
        options);
}
