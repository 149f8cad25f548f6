#include "schema/describe.h"

#include <catch2/catch_test_macros.hpp>

#include "unit/schema/built_pack.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;

namespace {

constexpr std::string_view kSchema = R"({type: object, description: A job., properties: {
    spec: {type: object, required: [image], description: "What to run. More about it, e.g. this.",
      properties: {
        image: {type: string, minLength: 1, description: "The image, e.g. one. And more."},
        policy: {type: string, enum: [Always, Never], default: Never},
        nodes: {type: integer, minimum: 1, maximum: 100, default: 1},
        env: {type: object, additionalProperties: {type: object, properties: {value: {type: string}}}},
        limits: {type: object, additionalProperties: {format: quantity}},
        open: {type: object, x-kubernetes-preserve-unknown-fields: true},
        items: {type: array, maxItems: 3, items: {type: object, required: [name],
          properties: {name: {type: string}, port: {format: int-or-string}}}}}}}})";

FieldHelp help(std::string_view path) {
  const BuiltPack pack(kSchema);
  return describe_field(pack.pack(), pack.kind(), path);
}

}  // namespace

TEST_CASE("a field shows its type, description, limits and the fields below it") {
  CHECK(help("spec").text ==
        "K (test.io/v1)\n"
        "spec   map\n"
        "\n"
        "  What to run. More about it, e.g. this.\n"
        "\n"
        "fields (* required):\n"
        "  env     map of maps\n"
        "* image   string\n"
        "            The image, e.g. one.\n"
        "  items   list of maps\n"
        "  limits  map of quantities\n"
        "  nodes   integer = 1\n"
        "  open    map\n"
        "  policy  string = Never\n");
  CHECK(help("spec.nodes").text ==
        "K (test.io/v1)\nspec.nodes   integer\n\n  default: 1\n  at least: 1\n  at most: 100\n");
  CHECK(
      help("spec.policy").text ==
      "K (test.io/v1)\nspec.policy   string\n\n  one of: `Always` or `Never`\n  default: Never\n");
  CHECK(help("spec.image").text.starts_with("K (test.io/v1)\nspec.image   string, required\n"));
  CHECK(help("").text.starts_with("K (test.io/v1)\n\n  A job.\n\nfields"));
}

TEST_CASE("lists and maps are entered on the way") {
  for (const char* path :
       {"spec.items.name", "spec.items[].name", "spec.items[0].name", "spec.items[abc].name"}) {
    INFO(path);
    CHECK(help(path).text == "K (test.io/v1)\nspec.items.name   string, required\n");
  }
  CHECK(help("spec.env.FOO.value").text == "K (test.io/v1)\nspec.env.FOO.value   string\n");
  CHECK(help("spec.env[\"a.b\"].value").ok());
  CHECK(help("spec.items").text.find("* name  string") != std::string::npos);
  CHECK(help("spec.env").text.find("  value  string") != std::string::npos);
}

TEST_CASE("an unknown path says where it ends and guesses") {
  CHECK(help("spec.imgae").error == "`spec` has no field `imgae`: did you mean `image`?");
  CHECK(help("status").error == "`K` has no field `status`, only `spec`");
  CHECK(help("spec.image.x").error == "`spec.image` has no fields, so not `x`");
  CHECK(help("spec.open.x").error == "`spec.open` takes any value: nothing is known about `x`");
  CHECK(help("spec.items[0").ok());
}
