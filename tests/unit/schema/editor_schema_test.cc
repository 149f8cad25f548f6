#include "schema/editor_schema.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "unit/schema/built_pack.h"

using namespace trainyard;
using nlohmann::json;
using trainyard::testing::BuiltPack;

namespace {

json exported(std::string_view schema) {
  const BuiltPack pack(schema);
  const std::string text = editor_schema(pack.pack(), pack.kind());
  CHECK(text == editor_schema(pack.pack(), pack.kind()));
  return json::parse(text);
}

json field(std::string_view schema) {
  return exported("{type: object, properties: {f: " + std::string(schema) +
                  "}}")["properties"]["f"];
}

}  // namespace

TEST_CASE("the export is a closed draft-07 document that pins apiVersion and kind") {
  const json out = exported("{type: object, required: [a], properties: {a: {type: string}}}");
  CHECK(out["$schema"] == "http://json-schema.org/draft-07/schema#");
  CHECK(out["properties"]["kind"]["enum"] == json{"K"});
  CHECK(out["properties"]["apiVersion"]["enum"] == json{"test.io/v1"});
  CHECK(out["properties"]["metadata"] == json{{"type", "object"}});
  CHECK(out["additionalProperties"] == false);
  CHECK(out["required"] == json{"a"});
}

TEST_CASE("descriptions, enums, defaults and limits are kept") {
  CHECK(field("{type: string, description: d, enum: [a, b], default: a, maxLength: 3}") ==
        json{{"type", "string"},
             {"description", "d"},
             {"enum", {"a", "b"}},
             {"default", "a"},
             {"maxLength", 3}});
  CHECK(field("{type: number, minimum: 0, exclusiveMinimum: true, maximum: 0.5}") ==
        json{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 0.5}});
  CHECK(field("{type: string, nullable: true}")["type"] == json{"string", "null"});
}

TEST_CASE("int-or-string and quantity become choices") {
  CHECK(field("{x-kubernetes-int-or-string: true}") ==
        json{{"anyOf", {{{"type", "integer"}}, {{"type", "string"}}}}});
  CHECK(field("{format: quantity}")["anyOf"].size() == 2);
  CHECK(field("{x-kubernetes-int-or-string: true, anyOf: [{type: integer, minimum: 1}, {type: "
              "string}]}")["allOf"]
            .size() == 1);
}

TEST_CASE("a schema that is used twice is defined once") {
  const json out = exported(R"({type: object, properties: {
      a: {type: object, properties: {x: {type: string}}},
      b: {type: object, properties: {x: {type: string}}}}})");
  CHECK(out["properties"]["a"] == json{{"$ref", "#/definitions/s1"}});
  CHECK(out["properties"]["b"] == out["properties"]["a"]);
  CHECK(out["definitions"]["s1"]["properties"]["x"]["type"] == "string");
}

TEST_CASE("a partial schema requires nothing, though the same schema elsewhere does") {
  const json out = exported(R"({type: object, properties: {
      a: {type: object, x-trainyard-partial: true, properties: {c: {type: object, required: [x],
        properties: {x: {type: string}}}}},
      b: {type: object, required: [x], properties: {x: {type: string}}}}})");
  CHECK_FALSE(out["properties"]["a"]["properties"]["c"].contains("required"));
  CHECK(out["properties"]["b"]["required"] == json{"x"});
}
