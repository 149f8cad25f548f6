#include <catch2/catch_test_macros.hpp>

#include "unit/schema/built_pack.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;
using trainyard::testing::Lines;

TEST_CASE("oneOf over required fields says which fields are meant") {
  const BuiltPack pack(R"({type: object, properties: {a: {type: string}, b: {type: string}},
                           oneOf: [{required: [a]}, {required: [b]}]})");
  CHECK(pack.accepts("{a: x}"));
  CHECK(pack.faults("{}") == Lines{": found none of `a` and `b`, wanted exactly one"});
  CHECK(pack.faults("{a: x, b: yy}") ==
        Lines{": found `a` and `b` together, wanted only one of `a` and `b`"});
}

TEST_CASE("anyOf over required fields says which fields are meant") {
  const BuiltPack pack(R"({type: object, properties: {a: {type: string}, b: {type: string}},
                           anyOf: [{required: [a]}, {required: [b]}]})");
  CHECK(pack.accepts("{a: x, b: yy}"));
  CHECK(pack.faults("{}") == Lines{": found none of `a` and `b`, wanted at least one"});
}

TEST_CASE("a combination that fails says why each alternative does") {
  const BuiltPack pack(R"({type: object, properties: {p: {x-kubernetes-int-or-string: true,
      anyOf: [{type: integer, minimum: 1}, {type: string, pattern: '^[0-9]+%$'}]}}})");
  CHECK(pack.accepts("{p: 1}"));
  CHECK(pack.accepts("{p: 5%}"));
  CHECK(pack.faults("{p: 0}") ==
        Lines{"p: none of the alternatives of the schema fits: found `0`, wanted at least `1`; or "
              "found the integer `0`, wanted a string: write `\"0\"`"});
}

TEST_CASE("fields that an alternative does not name are not unknown") {
  const BuiltPack pack(R"({type: object, properties: {a: {type: string}, b: {type: integer}},
      allOf: [{properties: {a: {minLength: 2}}}], anyOf: [{properties: {b: {minimum: 5}}}]})");
  CHECK(pack.accepts("{a: xx, b: 5}"));
  CHECK(pack.faults("{a: x, b: 5}") == Lines{"a: found 1 character, wanted at least 2"});
  CHECK(pack.faults("{a: xx, b: 4}") ==
        Lines{": none of the alternatives of the schema fits: at `b` found `4`, wanted at least "
              "`5`"});
  CHECK(pack.faults("{a: xx, b: 5, c: 1}").size() == 1);
}

TEST_CASE("not names the fields that must not be there") {
  const BuiltPack pack(R"({type: object, properties: {a: {type: string},
      b: {type: string, not: {enum: [x]}}}, not: {required: [a]}})");
  CHECK(pack.accepts("{b: yy}"));
  CHECK(pack.faults("{a: yy}") == Lines{": `a` must not be set here"});
  CHECK(pack.faults("{b: x}") == Lines{"b: `\"x\"` is what the schema excludes"});
}

TEST_CASE("a default counts as present inside a combination") {
  const BuiltPack pack(R"({type: object, properties: {a: {type: string, default: x},
      b: {type: object, properties: {c: {type: string, default: yy}}}},
      oneOf: [{required: [a]}, {properties: {b: {required: [d]}}, required: [b]}]})");
  CHECK(pack.accepts("{}"));
  CHECK(pack.accepts("{b: {}}"));
}

TEST_CASE("a null that the server drops is absent inside a combination, and is reported once") {
  const BuiltPack pack(R"({type: object, properties: {a: {type: string}, b: {type: string}},
                           oneOf: [{required: [a]}, {required: [b]}],
                           allOf: [{properties: {b: {type: string}}}]})");
  CHECK(pack.faults("{a: x, b: null}").size() == 1);
  CHECK(pack.faults("{a: x, b: null}")[0].starts_with("warning: b:"));
}
