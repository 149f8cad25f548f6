#include "tree/json_reader.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

namespace {

struct Reading {
  explicit Reading(std::string text, const ReadLimits& limits = {}) {
    const FileId file = sources.add("in.json", std::move(text));
    tree = read_json(sources, file, sink, limits);
  }
  std::string fault() const {
    return sink.all().empty() ? "" : std::string(info(sink.all()[0].kind).name);
  }

  SourceMap sources;
  Sink sink;
  std::optional<Tree> tree;
};

}  // namespace

TEST_CASE("JSON reads as the same tree as YAML does") {
  const std::string text =
      R"({"a": [1, -2, 3.50, 1.0e+5, true, false, null], "b": {"c": "x\nü", "d": {}, "e": []},)"
      R"( "big": 18446744073709551616})";
  const Reading json(text);
  REQUIRE(json.tree.has_value());
  SourceMap sources;
  Sink sink;
  const auto yaml = read_yaml(sources, sources.add("in", text), sink);
  REQUIRE(yaml.size() == 1);
  CHECK_FALSE(sink.has_errors());
  CHECK(equal(*json.tree, json.tree->root(), yaml[0], yaml[0].root()));
}

TEST_CASE("of repeated JSON keys the last one counts") {
  std::string text = "{";
  for (int i = 0; i < 100; ++i)
    text += "\"k" + std::to_string(i % 50) + "\": " + std::to_string(i) + ",";
  const Reading json(text + "\"z\": 0}");
  REQUIRE(json.tree.has_value());
  const View root(*json.tree, json.tree->root());
  CHECK(root->size == 51);
  CHECK(root["k7"].text() == "57");
}

TEST_CASE("broken and hostile JSON is refused") {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "nul", "{} x", "\"\xff\"", "[1e999999]"}) {
    INFO(text);
    const Reading json(text);
    CHECK_FALSE(json.tree.has_value());
    CHECK(json.fault() == "yaml-syntax");
  }
  CHECK(Reading(std::string(5'000'000, '[')).fault() == "too-deep");
  ReadLimits limits;
  limits.nodes = 3;
  CHECK(Reading("[1,2]", limits).fault().empty());
  CHECK(Reading("[1,2,3]", limits).fault() == "too-many-nodes");
  limits.bytes = 3;
  CHECK(Reading("[1,2]", limits).fault() == "file-too-large");
}
