#include "editor/yaml_outline.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

namespace {

/// The keys and numbers of items down to the place of `|`, and `=value` where that is in a value.
std::string path_at(std::string text) {
  const std::size_t offset = text.find('|');
  text.erase(offset, 1);
  const Outline outline(text);
  const auto node = outline.at(offset);
  if (!node) return "nothing";
  std::string path;
  for (const std::uint32_t step : outline.path(*node)) {
    const bool is_item = outline[step].kind == OutlineNode::Kind::Item;
    path += "/" + (is_item ? std::to_string(outline[step].number) : std::string(outline.key(step)));
  }
  if (!outline.is_on_key(*node, offset)) path += "=" + std::string(outline.value(*node));
  return path;
}

}  // namespace

TEST_CASE("half-typed text has a place") {
  CHECK(path_at("a:\n  b: {c: [1, x|") == "/a/b/c/1=x");
  CHECK(path_at("a:\n  netw|") == "/a/netw");
  CHECK(path_at("a:\n  - x|\nb: 1\n") == "/a/0=x");
  CHECK(path_at("a: \"open|\nb: 1\n") == "/a=open");
  CHECK(path_at("a:\n  b: {c: 1, d|\ne: 2\n") == "/a/b/d");
  CHECK(path_at("a:\n  b: {c: 1\nd: 2|\n") == "/d=2");
  CHECK(path_at("|") == "nothing");
  CHECK(path_at("# a|") == "nothing");
}

TEST_CASE("the path of a place follows the indentation") {
  CHECK(path_at("a:\n  b:\n    c: 1|\n") == "/a/b/c=1");
  CHECK(path_at("a:\n  b:\n    c: 1\n  d|: 2\n") == "/a/d");
  CHECK(path_at("a:\n- b: 1\n- c: 2\n  d: |3\n") == "/a/1/d=3");
  CHECK(path_at("a:\n- b\n- |c\n") == "/a/1=c");
  CHECK(path_at("a:\n- - b\n  - |c\n") == "/a/0/1=c");
  CHECK(path_at("a:\n- b: 1\nc: 2|\n") == "/c=2");
  CHECK(path_at("a: 1\n---\nb: |2\n") == "/b=2");
}

TEST_CASE("texts over several lines have no keys in them") {
  CHECK(path_at("a: {b: 1}\nrun: \"x\n  y: 1\n  z\"\nc: 2|\n") == "/c=2");
  std::string text = "run: >-\n  x: 1\n\n  y: 2\nc: 2\n";
  const Outline outline(text);
  CHECK(outline.nodes().size() == 3);
  CHECK(outline.value(1) == ">-\n  x: 1\n\n  y: 2");
}

TEST_CASE("a colon within a word, a comment and quotes belong to the value") {
  CHECK(path_at("image: a/b:1.0| # c: d\n") == "/image=a/b:1.0");
  CHECK(path_at("\"a b\": 'x: |y'\n") == "/a b=x: y");
  CHECK(path_at("a: {\"b\": 1, c: |x:y}\n") == "/a/c=x:y");
  CHECK(path_at("{\"a\": {\"b\": [1, {\"c\": |true}]}}") == "/a/b/1/c=true");
}
