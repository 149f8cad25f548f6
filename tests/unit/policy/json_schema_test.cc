#include "policy/json_schema.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "diag/sink.h"
#include "file_text.h"
#include "folders.h"
#include "source/source_map.h"
#include "tree/json_reader.h"
#include "unit/policy/one_document.h"

using namespace trainyard;
using trainyard::testing::Document;
using trainyard::testing::read_file;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> faults(const std::string& schema) {
  const Document document(schema);
  std::vector<std::string> messages;
  const JsonSchema checker(document.tree, document.tree.root());
  for (const auto& fault : checker.faults()) {
    messages.push_back(fault.message);
  }
  return messages;
}

std::vector<std::string> breaches(const std::string& schema, const std::string& value) {
  const Document rules(schema);
  const Document document(value);
  JsonSchema checker(rules.tree, rules.tree.root());
  REQUIRE(checker.faults().empty());
  std::vector<JsonSchema::Breach> found;
  checker.check(document.tree, document.tree.root(), found);
  std::vector<std::string> messages;
  for (const auto& breach : found) messages.push_back(breach.message);
  return messages;
}

/// A list of seven patterns of 9,004 instructions each.
std::string patterns(const std::string& before, const std::string& after) {
  std::string list = "[";
  for (int i = 0; i < 7; ++i) list += (i == 0 ? "" : ", ") + before + ".{0,1000}" + after;
  return list + "]";
}

JsonSchema::Verdict verdict(const std::string& schema, const std::string& value) {
  const Document rules(schema);
  const Document document(value);
  JsonSchema checker(rules.tree, rules.tree.root());
  REQUIRE(checker.faults().empty());
  std::vector<JsonSchema::Breach> found;
  return checker.check(document.tree, document.tree.root(), found);
}

using Messages = std::vector<std::string>;

const trainyard::testing::Suite kSuite = trainyard::testing::public_suite("json-schema-draft7");

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// `file|group` of what is left out.
std::set<std::string> exceptions() {
  std::set<std::string> all;
  std::istringstream lines(
      read_file(testing::repository() / "tests/unit/policy/suite_exceptions.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t first = line.find('|');
    const std::size_t second = line.find('|', first + 1);
    REQUIRE(second != std::string::npos);
    REQUIRE(trimmed(line.substr(second + 1)).size() > 10);
    all.insert(trimmed(line.substr(0, first)) + "|" +
               trimmed(line.substr(first + 1, second - first - 1)));
  }
  return all;
}

}  // namespace

TEST_CASE("the engine gives the verdicts of the public draft 7 suite") {
  if (!kSuite.missing.empty()) SKIP(kSuite.missing);
  const std::set<std::string> left_out = exceptions();
  std::set<std::string> used;
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(kSuite.folder / "tests/draft7")) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = entry.path().filename().string();
    SourceMap sources;
    Sink sink;
    const auto tree = read_json(sources, sources.add(file, read_file(entry.path())), sink);
    REQUIRE(tree);
    for (NodeId id : tree->children(tree->root())) {
      const View group(*tree, id);
      const std::string description(group["description"].text());
      const std::string all = file + "|*";
      const std::string one = file + "|" + description;
      if (left_out.contains(all) || left_out.contains(one)) {
        used.insert(left_out.contains(all) ? all : one);
        continue;
      }
      INFO(file << ": " << description);
      // A schema of its own: references are from its root.
      Tree schema;
      schema.set_root(schema.copy(*tree, group["schema"].id()));
      JsonSchema checker(schema, schema.root());
      for (const auto& fault : checker.faults()) UNSCOPED_INFO("fault: " << fault.message);
      CHECK(checker.faults().empty());
      if (!checker.faults().empty()) continue;
      for (NodeId test_id : tree->children(group["tests"].id())) {
        const View test(*tree, test_id);
        INFO(test["description"].text());
        std::vector<JsonSchema::Breach> found;
        const auto result = checker.check(*tree, test["data"].id(), found);
        for (const auto& breach : found) UNSCOPED_INFO(breach.message);
        const bool valid = test["valid"].text() == "true";
        CHECK(result == (valid ? JsonSchema::Verdict::Fits : JsonSchema::Verdict::Breaks));
        ++cases;
      }
    }
  }
  CHECK(used == left_out);
  CHECK(cases > 800);
}

TEST_CASE("a breach says what was found and what would be right") {
  CHECK(breaches("{type: string}", "4") == Messages{"expected a string; found the integer `4`"});
  CHECK(breaches("{maximum: 3}", "4") == Messages{"`4` is not at most `3`"});
  CHECK(breaches("{required: [a]}", "{b: 1}") == Messages{"`a` is missing"});
  CHECK(breaches("{additionalProperties: false}", "{b: 1}") == Messages{"`b` is not allowed"});
  CHECK(breaches("{pattern: ^a}", "bc") == Messages{"`\"bc\"` does not fit the pattern `^a`"});
  CHECK(breaches("{pattern: ^a}", "abc").empty());
}

TEST_CASE("the nearest message around a rule is the one that is given") {
  const Document rules(
      "{x-message: outer, properties: {a: {x-message: inner, type: string}, "
      "b: {type: string}}}");
  const Document document("{a: 1, b: 2}");
  JsonSchema checker(rules.tree, rules.tree.root());
  std::vector<JsonSchema::Breach> found;
  checker.check(document.tree, document.tree.root(), found);
  REQUIRE(found.size() == 2);
  CHECK(rules.tree[found[0].words].text == "inner");
  CHECK(rules.tree[found[1].words].text == "outer");
}

TEST_CASE("a value that may be a credential is not repeated") {
  const Messages found = breaches("{properties: {value: {const: x}, db_password: {enum: [x]}}}",
                                  "{value: hunter2, db_password: hunter2}");
  REQUIRE(found.size() == 2);
  for (const std::string& message : found) CHECK(message.find("hunter2") == std::string::npos);
}

TEST_CASE("what a schema cannot be is reported when it is read") {
  CHECK(faults("{type: map}").size() == 1);
  CHECK(faults("{type: [string, map]}").size() == 1);
  CHECK(faults("3").size() == 1);
  CHECK(faults("{properties: [a]}").size() == 1);
  CHECK(faults("{anyOf: []}").size() == 1);
  CHECK(faults("{minItems: -1}").size() == 1);
  CHECK(faults("{multipleOf: 0}").size() == 1);
  CHECK(faults("{maximum: \"3\"}").size() == 1);
  CHECK(faults("{$ref: '#/definitions/a'}").size() == 1);
  CHECK(faults("{$ref: 'https://example.com/a.json'}").size() == 1);
  CHECK(faults("{pattern: '(?=a)b'}").size() == 1);
  CHECK(faults("{patternProperties: {'(a': {}}}").size() == 1);
  CHECK(faults("{type: object, x-anything: {type: map}}").empty());
}

TEST_CASE("what a reference leads to is examined, wherever it stands") {
  CHECK(faults("{$ref: '#/x-parts/a', x-parts: {a: {type: objekt}}}").size() == 1);
  CHECK(faults("{$ref: '#/x-parts/a', x-parts: {a: {pattern: '('}, b: {pattern: '('}}}").size() ==
        1);
}

TEST_CASE("the patterns of one file have a budget, and the first beyond it is reported") {
  const std::string wanted =
      "the patterns of this file up to here take 54024 instructions; expected at most 50000";
  CHECK(faults("{anyOf: " + patterns("{pattern: '", "'}") + "}") ==
        std::vector<std::string>{wanted});
  CHECK(faults("{allOf: " + patterns("{patternProperties: {'", "': {}}}") + "}") ==
        std::vector<std::string>{wanted});
}

TEST_CASE("a hostile schema cannot stall or crash a check") {
  // Refers to itself, without end.
  CHECK(verdict("{$ref: '#'}", "1") == JsonSchema::Verdict::GaveUp);
  CHECK(verdict("{allOf: [{$ref: '#'}, {$ref: '#'}]}", "1") == JsonSchema::Verdict::GaveUp);
  // Doubles with each level.
  std::string doubling = "{definitions: {d0: {type: integer}";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "{$ref: '#/definitions/d" + std::to_string(i - 1) + "'}";
    doubling += ", d" + std::to_string(i) + ": {allOf: [" + before + ", " + before + "]}";
  }
  CHECK(verdict(doubling + "}, $ref: '#/definitions/d59'}", "1") == JsonSchema::Verdict::GaveUp);
  // Exponential for engines that try again and again, linear for RE2.
  CHECK(verdict("{pattern: '^(a+)+$'}", std::string(100'000, 'a') + "!") ==
        JsonSchema::Verdict::Breaks);
  // Each name against each key.
  std::string names = "[a";
  std::string keys = "{a: 1";
  std::string schemas = "{a: {}";
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "a" + std::to_string(10'000'000 + i) + "z";
    names += "," + name;
    keys += "," + name + ": 1";
    schemas += "," + name + ": {}";
  }
  names += "]", keys += "}", schemas += "}";
  CHECK(verdict("{required: " + names + "}", keys) == JsonSchema::Verdict::GaveUp);
  CHECK(verdict("{properties: " + schemas + "}", keys) == JsonSchema::Verdict::GaveUp);
  CHECK(verdict("{dependencies: " + schemas + "}", keys) == JsonSchema::Verdict::GaveUp);
  CHECK(verdict("{dependencies: {a: " + names + "}}", keys) == JsonSchema::Verdict::GaveUp);
  CHECK(verdict("{const: " + keys + "}", keys) == JsonSchema::Verdict::GaveUp);
  // Each keyword among all, for each item.
  CHECK(verdict("{items: " + schemas + "}", names) == JsonSchema::Verdict::GaveUp);
  // A long text for each of many rules.
  std::string rules = "{allOf: [{minLength: 1}";
  for (int i = 0; i < 1'000; ++i) rules += ", {minLength: 1}";
  CHECK(verdict(rules + "]}", std::string(1'000'000, 'a')) == JsonSchema::Verdict::GaveUp);
  // Each reference among all definitions.
  std::string definitions = "{definitions: {a: {}";
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "a" + std::to_string(10'000'000 + i) + "z";
    definitions += ", " + name + ": {$ref: '#/definitions/" + name + "'}";
  }
  CHECK(faults(definitions + "}}").size() == 1);
  // Each item against each other.
  std::string list = "[0";
  for (int i = 1; i < 5'000; ++i) list += "," + std::to_string(i);
  CHECK(verdict("{uniqueItems: true}", list + "]") == JsonSchema::Verdict::GaveUp);
}
