// valijson's verdicts on the same schemas and documents. What it does not know, or knows otherwise,
// is left out of the comparison:
// - `format`, which the draft allows to say nothing, and valijson to throw at;
// - patterns in which the language of std::regex is not that of RE2;
// - `propertyNames` behind a `$ref`: valijson 1.0 holds the keys against the schema around it;
// - numbers such as `1.0`, which to valijson are no integers;
// - `multipleOf` with fractions: to valijson 1.0, 4.5 is a multiple of 2, and 10 none of 0.0001.
#include <catch2/catch_test_macros.hpp>

#ifndef TRAINYARD_VALIJSON

TEST_CASE("valijson agrees about the schemas and the documents of the public draft 7 suite") {
  SKIP("the headers of valijson are not installed");
}
TEST_CASE("valijson agrees about random documents and random policies") {
  SKIP("the headers of valijson are not installed");
}

#else

#define VALIJSON_USE_EXCEPTIONS 1
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "file_text.h"
#include "folders.h"
#include "policy/json_schema.h"
#include "random_json.h"

using namespace trainyard;
using nlohmann::json;
using trainyard::testing::add_json;
using trainyard::testing::Dice;
using trainyard::testing::read_file;
namespace fs = std::filesystem;

namespace {

/// 1.0 as 1.
json without_zero_fractions(json value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::trunc(number) == number && std::abs(number) < 1e15) {
      return static_cast<std::int64_t>(number);
    }
  }
  if (value.is_structured()) {
    for (json& each : value) each = without_zero_fractions(std::move(each));
  }
  return value;
}

/// valijson's verdict; nothing where it refuses the schema.
class Opinion {
 public:
  explicit Opinion(const json& schema) : text_(without_zero_fractions(schema)) {
    try {
      valijson::SchemaParser parser;
      parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(text_), schema_);
      knows_ = true;
    } catch (const std::exception&) {
    }
  }
  std::optional<bool> accepts(const json& document) const {
    if (!knows_) return std::nullopt;
    try {
      valijson::Validator validator;
      const json value = without_zero_fractions(document);
      return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), nullptr);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

 private:
  json text_;
  valijson::Schema schema_;
  bool knows_ = false;
};

/// Our verdict; nothing where the schema has faults.
class Walker {
 public:
  explicit Walker(const json& schema) {
    tree_.set_root(add_json(tree_, schema));
    checker_.emplace(tree_, tree_.root());
  }
  std::optional<bool> accepts(const json& document) {
    if (!checker_->faults().empty()) return std::nullopt;
    Tree value;
    value.set_root(add_json(value, document));
    std::vector<JsonSchema::Breach> breaches;
    const auto verdict = checker_->check(value, value.root(), breaches);
    if (verdict == JsonSchema::Verdict::GaveUp) return std::nullopt;
    return verdict == JsonSchema::Verdict::Fits;
  }

 private:
  Tree tree_;
  std::optional<JsonSchema> checker_;
};

struct Tally {
  int agreed = 0;
  int accepted = 0;
};

void compare(const Opinion& opinion, Walker& walker, const json& document, Tally& tally) {
  const std::optional<bool> theirs = opinion.accepts(document);
  const std::optional<bool> ours = walker.accepts(document);
  if (!theirs || !ours) return;
  if (*theirs == *ours) {
    ++tally.agreed;
    tally.accepted += *ours ? 1 : 0;
    return;
  }
  INFO("document: " << document.dump());
  FAIL_CHECK("valijson " << (*theirs ? "accepts" : "refuses") << " it");
}

const char* const kKeys[] = {"a", "b", "c", "aa"};

json random_scalar(Dice& dice) {
  switch (dice.upto(6)) {
    case 0:
      return nullptr;
    case 1:
      return dice.one_in(2);
    case 2:
      return 0.5 + dice.upto(3);
    case 3:
    case 4:
      return dice.upto(4);
    default:
      return std::vector<const char*>{"", "a", "b", "aa", "ab", "\u00e9"}[dice.index(6)];
  }
}

json random_document(Dice& dice, int depth) {
  const int kind = depth == 0 ? 0 : dice.upto(5);
  if (kind < 2) return random_scalar(dice);
  json value = kind == 2 ? json::array() : json::object();
  for (int i = dice.upto(3); i > 0; --i) {
    if (kind == 2) {
      value.push_back(random_document(dice, depth - 1));
    } else {
      value[kKeys[dice.index(4)]] = random_document(dice, depth - 1);
    }
  }
  return value;
}

/// Random schemas of what both engines know.
class Schemas {
 public:
  explicit Schemas(Dice& dice) : dice_(dice) {}

  /// With definitions; each refers only to those after it.
  json policy() {
    json schema = of(3, 0);
    if (!schema.is_object()) schema = json::object();
    for (int i = 0; i < kDefinitions; ++i) {
      schema["definitions"]["d" + std::to_string(i)] = of(2, i + 1);
    }
    return schema;
  }

 private:
  static constexpr int kDefinitions = 3;

  /// `from`: the first of the definitions that it may refer to.
  json of(int depth, int from) {
    if (dice_.one_in(12)) return dice_.one_in(3);
    if (depth < 3 && from < kDefinitions && dice_.one_in(6)) {
      return {
          {"$ref", "#/definitions/d" + std::to_string(from + dice_.upto(kDefinitions - 1 - from))}};
    }
    json schema = json::object();
    for (int i = dice_.upto(2); i >= 0; --i) {
      if (depth == 0 || dice_.one_in(3)) {
        of_values(schema);
      } else if (dice_.one_in(2)) {
        of_parts(schema, depth - 1, from);
      } else {
        combine(schema, depth - 1, from);
      }
    }
    return schema;
  }

  void of_values(json& schema) {
    static constexpr const char* kTypes[] = {"array",  "boolean", "integer", "null",
                                             "number", "object",  "string"};
    static constexpr const char* kCounts[] = {"minItems",  "maxItems",      "minLength",
                                              "maxLength", "minProperties", "maxProperties"};
    static constexpr const char* kBounds[] = {"minimum", "maximum", "exclusiveMinimum",
                                              "exclusiveMaximum"};
    static constexpr const char* kPatterns[] = {"^a", "b$", "^[ab]+$", "^a?$"};
    switch (dice_.upto(7)) {
      case 0:
        schema["type"] = kTypes[dice_.index(7)];
        break;
      case 1:
        schema["type"] = {kTypes[dice_.index(3)], kTypes[3 + dice_.index(4)]};
        break;
      case 2:
        schema["enum"] = {random_scalar(dice_), random_document(dice_, 1), random_scalar(dice_)};
        break;
      case 3:
        schema["const"] = random_document(dice_, 1);
        break;
      case 4:
        schema[kCounts[dice_.index(6)]] = dice_.upto(3);
        break;
      case 5:
        schema[kBounds[dice_.index(4)]] = dice_.one_in(3) ? json(1.5) : json(dice_.upto(4));
        break;
      case 6:
        schema["pattern"] = kPatterns[dice_.index(4)];
        break;
      default:
        schema["required"] = {kKeys[dice_.index(4)]};
        break;
    }
  }

  void of_parts(json& schema, int depth, int from) {
    switch (dice_.upto(8)) {
      case 0:
        schema["items"] = of(depth, from);
        break;
      case 1:
        schema["items"] = {of(depth, from), of(depth, from)};
        schema["additionalItems"] = of(depth, from);
        break;
      case 2:
        schema["contains"] = of(depth, from);
        break;
      case 3:
        schema["uniqueItems"] = !dice_.one_in(4);
        break;
      case 4:
        schema["additionalProperties"] = of(depth, from);
        break;
      case 5:
        schema["patternProperties"] = {{"^a", of(depth, from)}, {"[bc]", of(depth, from)}};
        break;
      case 6:
        schema["dependencies"] = {{kKeys[0], {kKeys[dice_.index(4)]}},
                                  {kKeys[1], of(depth, from)},
                                  {kKeys[2], of(depth, from)}};
        break;
      case 7:
        if (from == 0) schema["propertyNames"] = of(0, from);
        break;
      default:
        for (const char* key : kKeys) {
          if (dice_.one_in(2)) schema["properties"][key] = of(depth, from);
        }
        break;
    }
  }

  void combine(json& schema, int depth, int from) {
    static constexpr const char* kLists[] = {"allOf", "anyOf", "oneOf"};
    switch (dice_.upto(4)) {
      case 0:
        schema["not"] = of(depth, from);
        break;
      case 1:
        schema["if"] = of(depth, from);
        if (!dice_.one_in(4)) schema["then"] = of(depth, from);
        if (!dice_.one_in(4)) schema["else"] = of(depth, from);
        break;
      default:
        schema[kLists[dice_.index(3)]] = {of(depth, from), of(depth, from)};
        break;
    }
  }

  Dice& dice_;
};

}  // namespace

TEST_CASE("valijson agrees about the schemas and the documents of the public draft 7 suite") {
  const auto suite = trainyard::testing::public_suite("json-schema-draft7");
  if (!suite.missing.empty()) SKIP(suite.missing);
  Tally tally;
  for (const auto& entry : fs::directory_iterator(suite.folder / "tests/draft7")) {
    const std::string keyword = entry.path().stem().string();
    if (entry.path().extension() != ".json" || keyword == "format" || keyword == "multipleOf")
      continue;
    const json groups = json::parse(read_file(entry.path()));
    // Each schema with the documents of its whole file; the suite has no verdict on most of them.
    for (const json& group : groups) {
      INFO(keyword << ": " << group["description"]);
      INFO("schema: " << group["schema"].dump());
      const Opinion opinion(group["schema"]);
      Walker walker(group["schema"]);
      for (const json& other : groups) {
        for (const json& test : other["tests"]) compare(opinion, walker, test["data"], tally);
      }
    }
  }
  CHECK(tally.agreed > 7'000);
  CHECK(tally.accepted > 3'000);
}

TEST_CASE("valijson agrees about random documents and random policies") {
  Dice dice(5);
  Tally tally;
  for (int round = 0; round < 1'000; ++round) {
    const json schema = Schemas(dice).policy();
    INFO("schema: " << schema.dump());
    const Opinion opinion(schema);
    Walker walker(schema);
    REQUIRE(opinion.accepts(json()).has_value());
    REQUIRE(walker.accepts(json()).has_value());
    for (int i = 0; i < 20; ++i) compare(opinion, walker, random_document(dice, 3), tally);
  }
  CHECK(tally.accepted > 6'000);
  CHECK(tally.accepted < 14'000);
  CHECK(tally.agreed == 20'000);
}

// Why policies have a walker of their own: what valijson does with schemas and documents that
// a stranger may hand in. Each in a child with 10 s and 2 GB. Prints a table; asks nothing of
// valijson.

namespace {

struct Hostile {
  const char* name;
  json schema;
  json document;
};

/// Each of `count` definitions refers to the one before it twice.
json doubling(int count, const char* word, const json& leaf) {
  json definitions = {{"d0", leaf}};
  for (int i = 1; i < count; ++i) {
    const json before = {{"$ref", "#/definitions/d" + std::to_string(i - 1)}};
    definitions["d" + std::to_string(i)] = {{word, {before, before}}};
  }
  const std::string last = "#/definitions/d" + std::to_string(count - 1);
  return {{"definitions", definitions}, {"allOf", {{{"$ref", last}}}}};
}

json numbers(int count) {
  json list = json::array();
  for (int i = 0; i < count; ++i) list.push_back(i);
  return list;
}

std::vector<Hostile> hostile() {
  const auto parsed = [](const char* text) { return json::parse(text); };
  return {
      {"`$ref` to itself", parsed(R"({"$ref": "#"})"), 1},
      {"`$ref` to itself by `anyOf`", parsed(R"({"anyOf": [{"$ref": "#"}, true]})"), 1},
      {"`$ref` to another file", parsed(R"({"$ref": "other.json"})"), 1},
      {"40 doublings by `anyOf`", doubling(40, "anyOf", {{"type", "string"}}), 1},
      {"40 doublings by `oneOf`", doubling(40, "oneOf", true), 1},
      {"`uniqueItems`, 100,000 items", parsed(R"({"uniqueItems": true})"), numbers(100'000)},
      {"pattern that goes back", parsed(R"({"pattern": "^(a+)+$"})"), std::string(40, 'a') + "!"},
      {"pattern, 100,000 characters", parsed(R"({"pattern": "^(a|b)*$"})"),
       std::string(100'000, 'a')},
      {"`patternProperties` that goes back",
       parsed(R"({"patternProperties": {"^(a+)+$": false}})"),
       {{std::string(40, 'a') + "!", 1}}},
      {"`multipleOf: 2`, 4.5 (breaks it)", parsed(R"({"multipleOf": 2})"), 4.5},
      {"`multipleOf: 0.0001`, 10 (fits)", parsed(R"({"multipleOf": 0.0001})"), 10},
      {"`maximum: 2^53`, 2^53 + 1 (breaks it)", parsed(R"({"maximum": 9007199254740992})"),
       9007199254740993},
      {"pattern `^.$`, `\u00e9` (fits)", parsed(R"({"pattern": "^.$"})"), "\u00e9"},
      {"`propertyNames` by `$ref` (fits)",
       parsed(R"({"definitions": {"m": {"type": "object", "propertyNames": {"maxLength": 3}}},
                  "properties": {"labels": {"$ref": "#/definitions/m"}}})"),
       {{"labels", {{"a", 1}}}}},
  };
}

std::string verdict(std::optional<bool> accepts) {
  return accepts ? (*accepts ? "fits" : "breaks it") : "no verdict";
}

/// What comes of `ask` in a child: its verdict, or how it ends.
template <class Ask>
std::string in_a_child(const Ask& ask) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [what, limit] : {std::pair{RLIMIT_CPU, rlim_t{10}},
                                      {RLIMIT_AS, rlim_t{2} << 30U},
                                      {RLIMIT_CORE, rlim_t{0}}}) {
      const rlimit both{limit, limit};
      setrlimit(what, &both);
    }
    for (const int fatal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(fatal, SIG_DFL);
    const std::string said = verdict(ask());
    [[maybe_unused]] const auto written = write(ends[1], said.data(), said.size());
    _exit(0);
  }
  close(ends[1]);
  char said[32];
  const auto size = read(ends[0], said, sizeof said);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && size > 0) return {said, static_cast<std::size_t>(size)};
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? "over 10 s" : "crash";
}

}  // namespace

TEST_CASE("valijson and the walker are shown hostile schemas", "[.hostile]") {
  for (const Hostile& each : hostile()) {
    const std::string theirs =
        in_a_child([&] { return Opinion(each.schema).accepts(each.document); });
    const std::string ours = in_a_child([&] { return Walker(each.schema).accepts(each.document); });
    std::printf("| %-38s | %-10s | %-10s |\n", each.name, theirs.c_str(), ours.c_str());
  }
}

#endif
