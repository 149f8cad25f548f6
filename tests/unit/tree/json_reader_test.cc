#include "tree/json_reader.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "random_json.h"

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

/// As programs write it, and as they do not.
std::string random_text(testing::Dice& dice, int depth) {
  static const std::vector<std::string> kScalars = {"null",
                                                    "true",
                                                    "false",
                                                    "0",
                                                    "-0",
                                                    "-17",
                                                    "123456789012345678",
                                                    "1234567890123456789",
                                                    "18446744073709551616",
                                                    "1.5",
                                                    "1e3",
                                                    "01",
                                                    "\"\"",
                                                    "\"text\"",
                                                    "\"a\\n\\t\\\"\\/\\\\\"",
                                                    "\"\\u0026\\u00fc\\u20ac\"",
                                                    "\"\\ud83d\\ude00\"",
                                                    "\"\\ud83d\"",
                                                    "\"\\u0000\"",
                                                    "\"f:ü€\"",
                                                    "\"\\x\"",
                                                    "\"\xff\"",
                                                    "\"\x01\"",
                                                    "\"a\\nü\xc3\""};
  const int kind = depth == 0 ? 2 : dice.upto(3);
  if (kind >= 2) {
    const std::size_t usual = dice.one_in(8) ? kScalars.size() : 8;
    return kScalars[dice.index(usual)];
  }
  std::string text = kind == 0 ? "{" : "[ ";
  const int count = dice.upto(4);
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += dice.one_in(5) ? " ,\n" : ",";
    if (kind == 0)
      text += "\"k" + std::to_string(dice.upto(6)) + (dice.one_in(9) ? "\" : " : "\":");
    text += random_text(dice, depth - 1);
  }
  return text + (kind == 0 ? "}" : "]");
}

}  // namespace

TEST_CASE("the fast and the full JSON reader give the same trees") {
  testing::Dice dice(1);
  std::size_t good = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = random_text(dice, 4);
    if (dice.one_in(3)) text.erase(dice.index(text.size()), 1);
    if (!text.empty() && dice.one_in(5)) {
      text[dice.index(text.size())] = "{}[],:\"\\ 0-e\x80"[dice.upto(12)];
    }
    INFO(text);
    const Reading fast(text);
    const Reading full(text, {.reference_reader = true});
    REQUIRE(fast.tree.has_value() == full.tree.has_value());
    if (!fast.tree) continue;
    ++good;
    REQUIRE(equal(*fast.tree, fast.tree->root(), *full.tree, full.tree->root()));
  }
  CHECK(good > 5'000);
}

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

TEST_CASE("entries of a key that is left out are not in the tree, whatever is in them") {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(
      "in.json", R"({"a": {"x": [1, {"x": 2}], "b": 3}, "x": null, "c": [{"x": {}, "d": 4}]})");
  for (const bool reference : {false, true}) {
    const auto tree = read_json(sources, file, sink, {.reference_reader = reference}, "x");
    REQUIRE(tree.has_value());
    const Reading without(R"({"a": {"b": 3}, "c": [{"d": 4}]})");
    CHECK(equal(*tree, tree->root(), *without.tree, without.tree->root()));
  }
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
