#include <catch2/catch_test_macros.hpp>

#include "unit/schema/built_pack.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;
using trainyard::testing::Lines;
using trainyard::testing::tree_of;

namespace {

std::string object(std::string_view spec) {
  return "{apiVersion: test.io/v1, kind: K, metadata: {name: one}, spec: " + std::string(spec) +
         "}";
}

/// Findings about a change of `spec`, each as `path: message`; what may stay as `path may stay`.
Lines changes(std::string_view properties, std::string_view before, std::string_view after,
              bool ratchets = true) {
  const BuiltPack pack("{type: object, properties: {spec: {type: object, properties: {" +
                       std::string(properties) + "}}}}");
  const Tree old = tree_of(object(before));
  const Tree tree = tree_of(object(after));
  Lines lines;
  Checker checker(pack.pack());
  for (const Violation& each :
       checker.check_object(pack.kind(), tree, tree.root(), &old, ratchets)) {
    const bool stays = each.severity == Severity::Warning;
    if (stays) CHECK(each.note.find("because") != std::string::npos);
    lines.push_back(each.path + (stays ? " may stay" : ": " + each.message));
  }
  return lines;
}

constexpr std::string_view kNumbers =
    "n: {type: integer, minimum: 0}, word: {type: string, enum: [a, b]}, m: {type: integer}";

}  // namespace

TEST_CASE("a value that was wrong before and is not touched may stay") {
  CHECK(changes(kNumbers, "{n: -1, m: 1}", "{n: -1, m: 2}") == Lines{"spec.n may stay"});
  CHECK(changes(kNumbers, "{word: c}", "{word: c, m: 2}") == Lines{"spec.word may stay"});
  CHECK(changes(kNumbers, "{n: x}", "{n: x, m: 2}") == Lines{"spec.n may stay"});
}

TEST_CASE("a value that is changed to another wrong one, or is new, may not") {
  CHECK(changes(kNumbers, "{n: -1}", "{n: -2}") ==
        Lines{"spec.n: found `-2`, wanted at least `0`"});
  CHECK(changes(kNumbers, "{m: 1}", "{n: -1, m: 1}") ==
        Lines{"spec.n: found `-1`, wanted at least `0`"});
  CHECK(changes(kNumbers, "{n: null}", "{n: -1}") ==
        Lines{"spec.n: found `-1`, wanted at least `0`"});
}

TEST_CASE("before Kubernetes 1.30 nothing that is wrong may stay") {
  CHECK(changes(kNumbers, "{n: -1, m: 1}", "{n: -1, m: 2}", false) ==
        Lines{"spec.n: found `-1`, wanted at least `0`"});
  CHECK(changes("n: {type: integer, x-kubernetes-validations: [{rule: self > 0, message: no}]}",
                "{n: -1}", "{n: -1}", false) == Lines{"spec.n: no"});
}

TEST_CASE("what is wrong with a map as a whole may stay while nothing in it is touched") {
  constexpr std::string_view kMap =
      "o: {type: object, required: [a], maxProperties: 1, properties: {b: {type: integer}, c: "
      "{type: integer}}}, m: {type: integer}";
  CHECK(changes(kMap, "{o: {b: 1, c: 1}}", "{o: {c: 1, b: 1}, m: 1}") ==
        Lines{"spec.o may stay", "spec.o may stay"});
  CHECK(changes(kMap, "{o: {b: 1}}", "{o: {b: 2}}") == Lines{"spec.o: missing field `a`"});
}

TEST_CASE("a field that is left out is unchanged when it had its default") {
  constexpr std::string_view kFilled =
      "o: {type: object, minProperties: 3, properties: {a: {type: integer, default: 1}, b: {type: "
      "integer}}}";
  CHECK(changes(kFilled, "{o: {a: 1, b: 1}}", "{o: {b: 1}}") == Lines{"spec.o may stay"});
  CHECK(changes(kFilled, "{o: {a: null, b: 1}}", "{o: {a: 1, b: 1}}") == Lines{"spec.o may stay"});
  CHECK(changes(kFilled, "{o: {a: 2, b: 1}}", "{o: {b: 1}}").size() == 1);
}

TEST_CASE("items of a plain list are not found again: the whole list counts") {
  constexpr std::string_view kList =
      "l: {type: array, items: {type: integer, minimum: 0}}, m: {type: integer}";
  CHECK(changes(kList, "{l: [-1, 2]}", "{l: [-1, 2], m: 1}") == Lines{"spec.l[0] may stay"});
  CHECK(changes(kList, "{l: [-1, 2]}", "{l: [-1, 3]}") ==
        Lines{"spec.l[0]: found `-1`, wanted at least `0`"});
  CHECK(changes(kList, "{l: [-1, 2]}", "{l: [2, -1]}").size() == 1);
  constexpr std::string_view kSet =
      "l: {type: array, x-kubernetes-list-type: set, items: {type: integer, minimum: 0}}";
  CHECK(changes(kSet, "{l: [-1, 2]}", "{l: [2, -1]}") ==
        Lines{"spec.l[1]: found `-1`, wanted at least `0`"});
}

TEST_CASE("items of a list with keys are found again by these") {
  constexpr std::string_view kKeyed =
      "l: {type: array, maxItems: 1, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: "
      "[name, proto], items: {type: object, required: [name], properties: {name: {type: string}, "
      "proto: {type: string, default: TCP}, n: {type: integer, minimum: 0}, m: {type: integer}}}}";
  CHECK(changes(kKeyed, "{l: [{name: a, n: -1}, {name: b, n: -1, m: 1}]}",
                "{l: [{name: b, n: -1, m: 1, proto: TCP}, {name: a, n: -1}]}") ==
        Lines{"spec.l may stay", "spec.l[0].n may stay", "spec.l[1].n may stay"});
  CHECK(changes(kKeyed, "{l: [{name: a, n: -1}]}", "{l: [{name: a, n: -1, m: 1}]}") ==
        Lines{"spec.l[0].n may stay"});
  CHECK(changes(kKeyed, "{l: [{name: a, n: -1}]}", "{l: [{name: a, proto: UDP, n: -1}]}").size() ==
        1);
}

TEST_CASE("alternatives are asked of the value as a whole") {
  constexpr std::string_view kAll =
      "o: {type: object, properties: {a: {type: integer}, b: {type: integer}}, allOf: "
      "[{properties: "
      "{a: {minimum: 0}}}]}";
  CHECK(changes(kAll, "{o: {a: -1, b: 1}}", "{o: {a: -1, b: 1}}") == Lines{"spec.o.a may stay"});
  CHECK(changes(kAll, "{o: {a: -1, b: 1}}", "{o: {a: -1, b: 2}}") ==
        Lines{"spec.o.a: found `-1`, wanted at least `0`"});
  constexpr std::string_view kAny =
      "o: {type: object, properties: {a: {type: integer}, b: {type: integer}}, anyOf: "
      "[{properties: "
      "{a: {minimum: 0}}}]}";
  CHECK(changes(kAny, "{o: {a: -1, b: 1}}", "{o: {a: -1, b: 2}}").size() == 1);
  CHECK(changes(kAny, "{o: {a: -1, b: 1}}", "{o: {a: -1, b: 1}}") == Lines{"spec.o may stay"});
}

TEST_CASE("a map with something that no schema describes never counts as unchanged") {
  constexpr std::string_view kOpen =
      "o: {type: object, x-kubernetes-preserve-unknown-fields: true, maxProperties: 1, properties: "
      "{n: {type: integer, minimum: 0}}}";
  CHECK(changes(kOpen, "{o: {n: -1, a: 1}}", "{o: {n: -1, a: 1}}") ==
        Lines{"spec.o: found 2 entries, wanted at most 1", "spec.o.n may stay"});
  constexpr std::string_view kList =
      "l: {type: array, maxItems: 0, items: {type: object, x-kubernetes-preserve-unknown-fields: "
      "true}}";
  CHECK(changes(kList, "{l: [{a: 1}]}", "{l: [{a: 1}]}") == Lines{"spec.l may stay"});
}

TEST_CASE("unknown fields and the heads of objects may not stay as they are") {
  CHECK(changes(kNumbers, "{nn: 1}", "{nn: 1}") ==
        Lines{"spec.nn: unknown field `nn`, known are `m`, `n` and `word`"});
  constexpr std::string_view kEmbedded =
      "o: {type: object, x-kubernetes-embedded-resource: true, properties: {apiVersion: {type: "
      "string}, kind: {type: string}, n: {type: integer, minimum: 0}}}";
  CHECK(changes(kEmbedded, "{o: {kind: A, n: -1}}", "{o: {kind: A, n: -1}}") ==
        Lines{"spec.o: missing field `apiVersion`: this is a whole object of its own",
              "spec.o.n may stay"});
}

TEST_CASE("items that are there twice may stay when the old object had such items anywhere") {
  constexpr std::string_view kSets =
      "a: {type: array, x-kubernetes-list-type: set, items: {type: string}}, b: {type: array, "
      "x-kubernetes-list-type: set, items: {type: string}}";
  for (const bool ratchets : {false, true}) {
    CHECK(changes(kSets, "{a: [x, x]}", "{b: [y, y]}", ratchets) == Lines{"spec.b[1] may stay"});
    CHECK(changes(kSets, "{a: [x]}", "{a: [x, x]}", ratchets) ==
          Lines{"spec.a[1]: `\"x\"` is in the list already, wanted every item once"});
  }
}

TEST_CASE("rules about an unchanged value may be broken, but not those about changes") {
  constexpr std::string_view kRules =
      "o: {type: object, properties: {n: {type: integer, x-kubernetes-validations: [{rule: self > "
      "0, message: positive}]}, m: {type: integer}}, x-kubernetes-validations: [{rule: self.m > 0, "
      "message: all}]}, c: {type: integer, x-kubernetes-validations: [{rule: 'self > oldSelf', "
      "message: grows}]}, l: {type: array, items: {type: string, x-kubernetes-validations: [{rule: "
      "self != 'a', message: item}]}}, t: {type: string, format: date-time, "
      "x-kubernetes-validations: [{rule: 'false', message: time}]}";
  CHECK(changes(kRules, "{o: {n: -1, m: 0}, c: 1}", "{o: {n: -1, m: 0}, c: 1}") ==
        Lines{"spec.o.n may stay", "spec.o may stay", "spec.c: grows"});
  CHECK(changes(kRules, "{o: {n: -1, m: 1}}", "{o: {n: -1, m: 0}}") ==
        Lines{"spec.o.n may stay", "spec.o: all"});
  CHECK(changes(kRules, "{l: [a, b]}", "{l: [a, b]}") == Lines{"spec.l[0] may stay"});
  CHECK(changes(kRules, "{l: [a, b]}", "{l: [a, c]}") == Lines{"spec.l[0]: item"});
  // Another text for the same time is another value.
  CHECK(changes(kRules, "{t: '2020-01-01T00:00:00Z'}", "{t: '2020-01-01T00:00:00+00:00'}") ==
        Lines{"spec.t: time"});
}

TEST_CASE("rules of a value that may stay are asked all the same") {
  constexpr std::string_view kRuled =
      "n: {type: integer, minimum: 0, x-kubernetes-validations: [{rule: 'self > oldSelf', message: "
      "grows}]}, m: {type: integer}";
  CHECK(changes(kRuled, "{n: -1}", "{n: -1, m: 1}") == Lines{"spec.n may stay", "spec.n: grows"});
  CHECK(changes(kRuled, "{n: x}", "{n: x, m: 1}").size() == 2);
}

TEST_CASE("rules of the whole object may not be broken, because its metadata is never compared") {
  const BuiltPack pack(
      "{type: object, properties: {spec: {type: object, properties: {n: {type: integer}}}}, "
      "x-kubernetes-validations: [{rule: self.spec.n > 0, message: whole}]}");
  const Tree tree = tree_of(object("{n: 0}"));
  Checker checker(pack.pack());
  const auto found = checker.check_object(pack.kind(), tree, tree.root(), &tree);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::Error);
}
