#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "schema/rules.h"
#include "unit/schema/built_pack.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;
using trainyard::testing::Lines;
using trainyard::testing::tree_of;

namespace {

/// Violations of a change, each as `path: message`.
Lines change_faults(const BuiltPack& pack, std::string_view before, std::string_view after) {
  const Tree old = tree_of(before);
  const Tree tree = tree_of(after);
  Lines lines;
  Checker checker(pack.pack());
  for (const Violation& each : checker.check_object(pack.kind(), tree, tree.root(), &old)) {
    const std::string prefix = each.severity == Severity::Warning ? "warning: " : "";
    lines.push_back(prefix + each.path + ": " + each.message);
  }
  return lines;
}

/// A schema with one property `x` and a rule at the root.
std::string ruled(std::string_view x, std::string_view rule) {
  return "{type: object, properties: {x: " + std::string(x) +
         "}, x-kubernetes-validations: [{rule: \"" + std::string(rule) + "\", message: broken}]}";
}

bool holds(std::string_view x, std::string_view rule, std::string_view value) {
  const BuiltPack pack(ruled(x, rule));
  const Lines lines = pack.faults(value);
  for (const std::string& line : lines) UNSCOPED_INFO(line);
  return lines.empty();
}

}  // namespace

TEST_CASE("a broken rule is reported with its message at its value") {
  const BuiltPack pack(R"({type: object, properties: {spec: {type: object,
      properties: {a: {type: integer}, b: {type: integer}},
      x-kubernetes-validations: [{rule: 'self.a <= self.b', message: ' a is at most b '},
                                 {rule: "self.a > 0"}]}}})");
  CHECK(pack.accepts("{spec: {a: 1, b: 2}}"));
  CHECK(pack.faults("{spec: {a: 3, b: 2}}") == Lines{"spec: a is at most b"});
  CHECK(pack.faults("{spec: {a: 0, b: 2}}") == Lines{"spec: failed rule: self.a > 0"});
  CHECK(pack.faults("{spec: {b: 2, a: -1}}").size() == 1);
  CHECK(pack.accepts("{}"));
}

TEST_CASE("a rule that cannot be evaluated is broken, and says why") {
  const BuiltPack pack(ruled("{type: integer}", "self.x > 0"));
  CHECK(pack.faults("{}") == Lines{": broken (the rule cannot be evaluated here: no such key: x)"});
}

TEST_CASE("a rule is not asked about a value that is wrong in itself") {
  const BuiltPack pack(ruled("{type: integer}", "self.x > 0"));
  CHECK(pack.faults("{x: a}").size() == 1);
  CHECK(pack.faults("{x: a}")[0].starts_with("x: found the string"));
}

TEST_CASE("a message may be computed, and falls back to the fixed one") {
  const auto faults = [](std::string_view expression) {
    const BuiltPack pack(
        "{type: object, properties: {x: {type: integer}}, x-kubernetes-validations: [{rule: "
        "'self.x > 0', message: fixed, messageExpression: \"" +
        std::string(expression) + "\"}]}");
    return pack.faults("{x: -1}");
  };
  CHECK(faults("'x is ' + string(self.x)") == Lines{": x is -1"});
  CHECK(faults("'  '") == Lines{": fixed"});
  CHECK(faults("'a\\\\nb'") == Lines{": fixed"});
  CHECK(faults("self.y") == Lines{": fixed"});
  CHECK(faults("self.x") == Lines{": fixed"});
}

TEST_CASE("fieldPath moves the violation, as far as the field is there") {
  const BuiltPack pack(R"({type: object, properties: {a: {type: object, properties: {
      b.c: {type: integer}}}}, x-kubernetes-validations: [
      {rule: 'false', message: m, fieldPath: ".a['b.c']", reason: FieldValueForbidden}]})");
  CHECK(pack.faults("{a: {b.c: 1}}") == Lines{"a[\"b.c\"]: m"});
  const Tree tree = tree_of("{a: {}}");
  const auto found = check_schema(pack.pack(), pack.id(), tree, tree.root());
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "a[\"b.c\"]");
  CHECK(tree[found[0].node].key == "a");
  CHECK(found[0].note == "the rule is `false`, reason `FieldValueForbidden`");
}

TEST_CASE("the schema says what type a value has") {
  CHECK(holds("{type: number}", "type(self.x) == double", "{x: 3}"));
  CHECK(holds("{type: integer}", "type(self.x) == int", "{x: 3.0}"));
  CHECK(holds("{type: string, format: date-time}",
              "self.x < timestamp('2030-01-01T00:00:00Z') && self.x.getFullYear() == 2024",
              "{x: '2024-05-01T00:00:00Z'}"));
  CHECK(holds("{type: string, format: date}", "self.x.getDate() == 3", "{x: '2024-05-03'}"));
  CHECK(holds("{type: string, format: duration}", "self.x == duration('90m')", "{x: 1h30m}"));
  CHECK(holds("{type: string, format: duration}", "self.x == duration('48h')", "{x: 2 days}"));
  CHECK(holds("{type: string, format: byte}", "self.x == b'hello'", "{x: aGVsbG8=}"));
  const std::string either = "{x-kubernetes-int-or-string: true}";
  CHECK(holds(either, "type(self.x) == int && self.x == 3", "{x: 3}"));
  CHECK(holds(either, "type(self.x) == string && self.x.endsWith('%')", "{x: 50%}"));
}

TEST_CASE("fields that the schema does not describe are not to be seen, but count in comparisons") {
  const std::string open =
      "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}";
  CHECK(holds(open, "has(self.x.a) && !has(self.x.b)", "{x: {a: y, b: z}}"));
  const BuiltPack pack(ruled(open, "self.x == oldSelf.x"));
  CHECK(change_faults(pack, "{metadata: {name: a}, x: {b: [1, {c: 2}]}}",
                      "{metadata: {name: a}, x: {b: [1.0, {c: 2}]}}")
            .empty());
  CHECK(change_faults(pack, "{metadata: {name: a}, x: {b: 1}}", "{metadata: {name: a}, x: {b: 2}}")
            .size() == 1);
}

TEST_CASE("a null field of an object is absent, a null value of a map is there when it may be") {
  CHECK(holds("{type: string, nullable: true}", "!has(self.x)", "{x: null}"));
  CHECK(holds("{type: object, additionalProperties: {type: string, nullable: true}}",
              "'a' in self.x && self.x['a'] == null && size(self.x) == 1", "{x: {a: null}}"));
}

TEST_CASE("an absent field has its default, in lookups and in comparisons") {
  const std::string x =
      "{type: object, properties: {k: {type: string, default: v}, "
      "o: {type: object, default: {n: 1}, properties: {n: {type: integer}, "
      "m: {type: integer, default: 2}}}}}";
  CHECK(holds(x, "has(self.x.k) && self.x.k == 'v' && self.x.o.n + self.x.o.m == 3", "{x: {}}"));
  CHECK(holds(x, "self.x.k == 'v'", "{x: {k: v}}"));
  const BuiltPack pack(ruled(x, "self.x == oldSelf.x"));
  CHECK(change_faults(pack, "{metadata: {name: a}, x: {}}",
                      "{metadata: {name: a}, x: {k: v, o: {m: 2, n: 1}}}")
            .empty());
  CHECK(change_faults(pack, "{metadata: {name: a}, x: {}}", "{metadata: {name: a}, x: {k: w}}")
            .size() == 1);
}

TEST_CASE("odd names of fields are written with escapes") {
  const std::string x =
      "{type: object, properties: {namespace: {type: string}, "
      "a-b.c/d: {type: string}, e__f: {type: string}}}";
  CHECK(holds(x,
              "self.x.__namespace__ == 'n' && self.x.a__dash__b__dot__c__slash__d == 'm' && "
              "self.x.e__underscores__f == 'o'",
              "{x: {namespace: n, a-b.c/d: m, e__f: o}}"));
}

TEST_CASE("sets and keyed lists compare without order, and merge") {
  const std::string set = "{type: array, x-kubernetes-list-type: set, items: {type: string}}";
  CHECK(
      holds(set, "self.x == ['b', 'a'] && self.x + ['b', 'c'] == ['c', 'b', 'a']", "{x: [a, b]}"));
  const std::string keyed =
      "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [n], items: {type: "
      "object, properties: {n: {type: string}, v: {type: integer}}}}";
  const BuiltPack pack(ruled(keyed, "self.x == oldSelf.x && size(self.x + oldSelf.x) == 2"));
  CHECK(change_faults(pack, "{metadata: {name: a}, x: [{n: a, v: 1}, {n: b, v: 2}]}",
                      "{metadata: {name: a}, x: [{n: b, v: 2}, {n: a, v: 1}]}")
            .empty());
  CHECK(change_faults(pack, "{metadata: {name: a}, x: [{n: a, v: 1}, {n: b, v: 2}]}",
                      "{metadata: {name: a}, x: [{n: b, v: 1}, {n: a, v: 1}]}")
            .size() == 1);
}

TEST_CASE("the name of an object can be read whatever its schema says") {
  const BuiltPack pack(R"({type: object, properties: {metadata: {type: object}},
      x-kubernetes-validations: [{rule: "self.metadata.name == 'one' && self.kind == 'K'"}]})");
  CHECK(pack.object_faults("{apiVersion: test.io/v1, kind: K, metadata: {name: one}}").empty());
  CHECK(pack.object_faults("{apiVersion: test.io/v1, kind: K, metadata: {name: two}}").size() == 1);
}

TEST_CASE("a name that will be generated counts as there") {
  const BuiltPack pack(R"y({type: object, properties: {metadata: {type: object}},
      x-kubernetes-validations: [{rule: 'self.metadata.name.startsWith("one-")'}]})y");
  CHECK(pack.object_faults("{apiVersion: test.io/v1, kind: K, metadata: {generateName: one-}}")
            .empty());
  CHECK(pack.object_faults("{apiVersion: test.io/v1, kind: K}") ==
        Lines{": missing field `metadata`: every object needs a name"});
}

TEST_CASE("rules about changes need a value from before") {
  const BuiltPack pack(R"({type: object, properties: {x: {type: string,
      x-kubernetes-validations: [{rule: 'self == oldSelf', message: immutable}]},
      k: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [n], items: {
        type: object, properties: {n: {type: string}, v: {type: integer,
          x-kubernetes-validations: [{rule: 'self >= oldSelf', message: grows}]}}}},
      a: {type: array, items: {type: integer,
          x-kubernetes-validations: [{rule: 'self == oldSelf', message: never asked}]}}}})");
  CHECK(pack.object_faults("{metadata: {name: a}, x: y}").empty());
  CHECK(change_faults(pack, "{metadata: {name: a}}", "{metadata: {name: a}, x: y}").empty());
  CHECK(change_faults(pack, "{metadata: {name: a}, x: y}", "{metadata: {name: a}}").empty());
  CHECK(change_faults(pack, "{metadata: {name: a}, x: y}", "{metadata: {name: a}, x: z}") ==
        Lines{"x: immutable"});
  CHECK(change_faults(pack, "{metadata: {name: a}, k: [{n: p, v: 1}, {n: q, v: 5}]}",
                      "{metadata: {name: a}, k: [{n: q, v: 4}, {n: p, v: 2}, {n: r, v: 0}]}") ==
        Lines{"k[0].v: grows"});
  CHECK(change_faults(pack, "{metadata: {name: a}, a: [1]}", "{metadata: {name: a}, a: [2]}")
            .empty());
}

TEST_CASE("oldSelf may be optional, and then the rule is asked about new objects too") {
  const BuiltPack pack(R"({type: object, properties: {x: {type: integer, x-kubernetes-validations: [
      {rule: 'oldSelf.hasValue() || self == 1', message: starts at 1, optionalOldSelf: true}]}}})");
  CHECK(pack.faults("{x: 2}") == Lines{"x: starts at 1"});
  CHECK(pack.accepts("{x: 1}"));
  CHECK(change_faults(pack, "{metadata: {name: a}, x: 1}", "{metadata: {name: a}, x: 2}").empty());
}

TEST_CASE("a value that broke a rule before and is not touched only gets a warning") {
  const BuiltPack pack(
      ruled("{type: integer, x-kubernetes-validations: [{rule: self > 0, "
            "message: positive}]}",
            "true"));
  CHECK(change_faults(pack, "{metadata: {name: a}, x: -1}", "{metadata: {name: a}, x: -1}") ==
        Lines{"warning: x: positive"});
  CHECK(change_faults(pack, "{metadata: {name: a}, x: -1}", "{metadata: {name: a}, x: -2}") ==
        Lines{"x: positive"});
}

TEST_CASE("a rule that takes too long is an error of its own") {
  std::string value = "{x: [";
  for (int i = 0; i < 400; ++i) value += std::to_string(i) + ", ";
  const std::string rule = "self.x.all(a, self.x.all(b, self.x.all(c, a + b + c >= 0)))";
  const BuiltPack pack(ruled("{type: array, items: {type: integer}}", rule));
  CHECK(pack.faults(value + "0]}") == Lines{": a rule of the schema takes more steps than it may"});
}

TEST_CASE("formats and URLs of CEL are those of the schema") {
  const std::string x = "{type: string}";
  CHECK(holds(x, "!format.dns1123Label().validate(self.x).hasValue()", "{x: abc}"));
  CHECK(holds(x, "format.dns1123Label().validate(self.x).value().size() == 1", "{x: A_}"));
  CHECK(holds(x, "format.named('uuid').value().validate(self.x).hasValue()", "{x: y}"));
  CHECK(holds(x, "!format.named('nope').hasValue()", "{x: y}"));
  CHECK(holds(x,
              "isURL(self.x) && url(self.x).getHost() == 'h.io:80' && url(self.x).getPort() == "
              "'80' && url(self.x).getHostname() == 'h.io' && url(self.x).getScheme() == 'https' "
              "&& url(self.x).getEscapedPath() == '/a%20b' && url(self.x).getQuery()['k'] == "
              "['v', 'w']",
              "{x: 'https://u:p@h.io:80/a%20b?k=v&k=w&l'}"));
  CHECK(holds(x, "!isURL(self.x)", "{x: '../a'}"));
}

TEST_CASE("a rule that is no CEL is reported when its schema is read") {
  PackBuilder builder;
  SchemaFacts facts;
  facts.group = "test.io";
  facts.version = "v1";
  facts.kind = "K";
  builder.add_kind(facts,
                   tree_of("{type: object, x-kubernetes-validations: [{rule: 'self.x ='}]}"));
  Sink sink;
  CHECK_FALSE(builder.build(sink).empty());
  REQUIRE(sink.all().size() == 1);
  CHECK(sink.all()[0].kind == DiagnosticKind::UncheckedCel);
}
