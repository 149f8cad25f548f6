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
#include <cmath>
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

  /// With definitions, each of which refers to those after it only.
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
    // Each schema with the documents of its whole file, on most of which the suite has no verdict.
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

#endif
