#include "schema/schema_check.h"

#include <catch2/catch_test_macros.hpp>

#include "unit/schema/built_pack.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;
using trainyard::testing::Lines;
using trainyard::testing::tree_of;

TEST_CASE("an unknown field is an error that guesses the typo") {
  const BuiltPack pack("{type: object, properties: {image: {type: string}, args: {type: array}}}");
  CHECK(pack.accepts("{image: a, args: [1, x]}"));
  CHECK(pack.faults("{imgae: a}") == Lines{"imgae: unknown field `imgae`: did you mean `image`?"});
  CHECK(
      pack.faults("{image:a}") ==
      Lines{
          "[\"image:a\"]: unknown field `image:a`: a space is missing after the colon of `image`"});
  CHECK(pack.faults("{zone: a}") ==
        Lines{"zone: unknown field `zone`, known are `args` and `image`"});
  CHECK(pack.faults("{image: a, imgae: b}") ==
        Lines{"imgae: unknown field `imgae`, known is `args`"});
}

TEST_CASE("an empty key is a field like any other") {
  const BuiltPack pack("{type: object, properties: {a: {type: string}}}");
  CHECK(pack.faults("{'': b}") == Lines{"[\"\"]: unknown field ``, known is `a`"});
}

TEST_CASE("an unknown field that an outer map has says where it belongs") {
  const BuiltPack pack(R"({type: object, properties: {spec: {type: object, properties: {
      restartPolicy: {type: string},
      containers: {type: array, items: {type: object, properties: {name: {type: string}}}}}}}})");
  CHECK(pack.faults("{spec: {containers: [{name: a, restartPolicy: Never}]}}") ==
        Lines{"spec.containers[0].restartPolicy: unknown field `restartPolicy`: it is a field of "
              "`spec`"});
}

TEST_CASE("preserve-unknown lets fields through but still checks the known ones") {
  const BuiltPack pack(R"({type: object, x-kubernetes-preserve-unknown-fields: true,
                           properties: {a: {type: integer}}})");
  CHECK(pack.accepts("{a: 1, b: {c: [1]}}"));
  CHECK(pack.faults("{a: x, b: 1}") == Lines{"a: found the string `\"x\"`, wanted an integer"});
}

/// apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go skipPrune
TEST_CASE("preserve-unknown of a list is for its items, and not for what is in them") {
  const BuiltPack pack(R"({type: array, x-kubernetes-preserve-unknown-fields: true,
      items: {type: object, properties: {a: {type: object, properties: {b: {type: integer}}}}}})");
  CHECK(pack.accepts("[{a: {b: 1}, c: 2}]"));
  CHECK(pack.faults("[{a: {b: 1, c: 2}}]") == Lines{"[0].a.c: unknown field `c`, known is `b`"});
}

TEST_CASE("additionalProperties is the schema of a map's values") {
  const BuiltPack pack("{type: object, additionalProperties: {type: string}}");
  CHECK(pack.accepts("{}"));
  CHECK(pack.accepts("{a: b, 'c.d/e': f}"));
  CHECK(pack.faults("{'a.b/c': 3}") ==
        Lines{"[\"a.b/c\"]: found the integer `3`, wanted a string: write `\"3\"`"});
}

TEST_CASE("equal entries of a map are each reported, and a good one hides no bad one") {
  const BuiltPack pack(R"({type: object, additionalProperties: {type: object, properties: {
      a: {type: integer, maximum: 3}}}})");
  CHECK(pack.accepts("{x: {a: 1}, y: {a: 1}, z: {a: 2}}"));
  CHECK(pack.faults("{x: {a: 1}, y: {a: 9}, z: {a: 1}}") ==
        Lines{"y.a: found `9`, wanted at most `3`"});
  CHECK(pack.faults("{x: {a: 9}, y: {a: 9}}") ==
        Lines{"x.a: found `9`, wanted at most `3`", "y.a: found `9`, wanted at most `3`"});
  CHECK(pack.faults("{x: {b: 1}, y: {b: 1}}").size() == 2);
}

TEST_CASE("a rule is asked of each of several equal entries") {
  const BuiltPack pack(R"({type: object, additionalProperties: {type: object, properties: {
      a: {type: integer}}, x-kubernetes-validations: [{rule: self.a < 4, message: too many}]}})");
  CHECK(pack.accepts("{x: {a: 1}, y: {a: 1}}"));
  CHECK(pack.faults("{x: {a: 9}, y: {a: 9}}").size() == 2);
  CHECK(pack.faults("{x: {a: 1}, y: {a: 9}, z: {a: 1}}").size() == 1);
}

TEST_CASE("types are named as YAML has them, with what to write instead") {
  const BuiltPack pack(R"({type: object, properties: {
      i: {type: integer}, nn: {type: number}, s: {type: string}, b: {type: boolean},
      l: {type: array}, m: {type: object, x-kubernetes-preserve-unknown-fields: true}}})");
  CHECK(pack.accepts("{i: 8, nn: 0.5, s: x, b: true, l: [], m: {}}"));
  CHECK(pack.accepts("{i: -8, nn: 3}"));
  CHECK(pack.accepts("{i: 1e3}"));
  CHECK(pack.faults("{i: '8'}") ==
        Lines{"i: found the string `\"8\"`, wanted an integer: write `8`"});
  CHECK(pack.faults("{i: 1.5}") == Lines{"i: found the number `1.5`, wanted an integer"});
  CHECK(pack.faults("{i: '012'}") == Lines{"i: found the string `\"012\"`, wanted an integer"});
  CHECK(pack.faults("{nn: '0.5'}") ==
        Lines{"nn: found the string `\"0.5\"`, wanted a number: write `0.5`"});
  CHECK(pack.faults("{s: 8}") == Lines{"s: found the integer `8`, wanted a string: write `\"8\"`"});
  CHECK(pack.faults("{s: true}") ==
        Lines{"s: found the boolean `true`, wanted a string: write `\"true\"`"});
  CHECK(pack.faults("{b: 'yes'}") ==
        Lines{"b: found the string `\"yes\"`, wanted a boolean (`true` "
              "or `false`): write `true`"});
  CHECK(pack.faults("{l: {}}") == Lines{"l: found a map, wanted a list"});
  CHECK(pack.faults("{m: x}") == Lines{"m: found the string `\"x\"`, wanted a map"});
}

TEST_CASE("all missing fields are named at once, at the map") {
  const BuiltPack pack(R"({type: object, required: [a, b, c],
      properties: {a: {type: string}, b: {type: string}, c: {type: string, default: x}}})");
  CHECK(pack.faults("{}") == Lines{": missing fields `a` and `b`"});
  CHECK(pack.faults("{a: x}") == Lines{": missing field `b`"});
  CHECK(pack.accepts("{a: x, b: yy}"));
}

TEST_CASE("a null entry is dropped by the server: a warning, and missing when it is required") {
  const BuiltPack pack(R"({type: object, required: [r], properties: {
      r: {type: string}, o: {type: string}, d: {type: string, default: x},
      nn: {type: string, nullable: true}, l: {type: array, items: {type: string}}}})");
  CHECK(pack.faults("{r: a, o: null}") ==
        Lines{"warning: o: `null` where a string is wanted: it counts as left out; write a "
              "value or leave the field out"});
  CHECK(pack.faults("{r: a, d: null}") ==
        Lines{"warning: d: `null` where a string is wanted: the default `x` is taken; write "
              "a value or leave the field out"});
  CHECK(pack.accepts("{r: a, nn: null}"));
  CHECK(pack.faults("{r: null}")[0] == ": missing field `r`");
  CHECK(pack.faults("{r: a, l: [null]}") == Lines{"l[0]: found `null`, wanted a string"});
}

TEST_CASE("enums compare values, name the allowed ones and guess") {
  const BuiltPack pack(R"({type: object, properties: {
      p: {type: string, enum: [Always, IfNotPresent, Never]}, i: {type: integer, enum: [1, 2]},
      q: {type: string, enum: ["a\"b", "c"]}, nn: {type: string, nullable: true, enum: [x]}}})");
  CHECK(pack.accepts("{p: Never, i: 2, q: 'a\"b'}"));
  CHECK(pack.faults("{p: never}") ==
        Lines{"p: `never` is not one of `Always`, `IfNotPresent` or `Never`"});
  CHECK(pack.faults("{i: 3}") == Lines{"i: `3` is not one of `1` or `2`"});
  CHECK(pack.faults("{nn: null}") == Lines{"nn: found `null`, wanted `x`"});
  const Tree tree = tree_of("{p: never}");
  CHECK(check_schema(pack.pack(), pack.id(), tree, tree.root())[0].suggestion == "Never");
}

TEST_CASE("ranges are inclusive unless they say otherwise") {
  const BuiltPack pack(R"({type: object, properties: {
      a: {type: integer, minimum: 1, maximum: 3}, m: {type: integer, multipleOf: 8},
      x: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true},
      f: {type: number, multipleOf: 0.1}}})");
  CHECK(pack.accepts("{a: 1, x: 0.5, m: 16, f: 0.3}"));
  CHECK(pack.accepts("{a: 3, m: -8}"));
  CHECK(pack.faults("{a: 0}") == Lines{"a: found `0`, wanted at least `1`"});
  CHECK(pack.faults("{a: 4}") == Lines{"a: found `4`, wanted at most `3`"});
  CHECK(pack.faults("{x: 0}") == Lines{"x: found `0`, wanted more than `0`"});
  CHECK(pack.faults("{x: 1.0}") == Lines{"x: found `1.0`, wanted less than `1`"});
  CHECK(pack.faults("{m: 12}") == Lines{"m: found `12`, wanted a multiple of `8`"});
  CHECK(pack.faults("{f: 0.35}") == Lines{"f: found `0.35`, wanted a multiple of `0.1`"});
  CHECK(pack.faults("{a: 99999999999999999999999999}") ==
        Lines{"a: found `99999999999999999999999999`, wanted at most `3`"});
}

TEST_CASE("an integer is a multiple of the whole part of a factor, as the API server has it") {
  const BuiltPack pack(R"({type: object, properties: {
      half: {type: number, multipleOf: 0.5}, more: {type: number, multipleOf: 2.5}}})");
  CHECK(pack.accepts("{half: 1.5, more: 7.5}"));
  CHECK(pack.accepts("{more: 4}"));
  CHECK(pack.faults("{half: 3}") ==
        Lines{"half: found `3`, wanted a multiple of `0.5`; the API server takes the "
              "whole part, `0`, for integers"});
  CHECK(pack.faults("{more: 5.0}") ==
        Lines{"more: found `5.0`, wanted a multiple of `2.5`; the API server takes the "
              "whole part, `2`, for integers"});
}

TEST_CASE("lengths count code points, items and entries") {
  const BuiltPack pack(R"({type: object, properties: {
      s: {type: string, minLength: 2, maxLength: 3}, one: {type: string, minLength: 1},
      l: {type: array, minItems: 1, maxItems: 2, items: {type: integer}},
      m: {type: object, minProperties: 1, maxProperties: 1, additionalProperties: {type: string}}}})");
  CHECK(pack.accepts("{s: äöü, l: [1], m: {a: b}}"));
  CHECK(pack.accepts("{s: \"\\U0001F600\\U0001F600\"}"));
  CHECK(pack.faults("{s: äöüß}") == Lines{"s: found 4 characters, wanted at most 3"});
  CHECK(pack.faults("{s: ü}") == Lines{"s: found 1 character, wanted at least 2"});
  CHECK(pack.faults("{one: ''}") ==
        Lines{"one: found an empty string, wanted at least 1 character"});
  CHECK(pack.faults("{l: []}") == Lines{"l: found 0 items, wanted at least 1"});
  CHECK(pack.faults("{l: [1, 2, 3]}") == Lines{"l: found 3 items, wanted at most 2"});
  CHECK(pack.faults("{m: {}}") == Lines{"m: found 0 entries, wanted at least 1"});
  CHECK(pack.faults("{m: {a: b, c: d}}") == Lines{"m: found 2 entries, wanted at most 1"});
}

TEST_CASE("patterns are searched for, as JSON Schema means them") {
  const BuiltPack pack(R"({type: object, properties: {
      in: {type: string, pattern: 'b+'}, all: {type: string, pattern: '^[a-z]+$'},
      case: {type: string, pattern: '(?i)^abc$'}}})");
  CHECK(pack.accepts("{in: abc, all: abc, case: ABC}"));
  CHECK(pack.faults("{all: aBc}") == Lines{"all: `\"aBc\"` does not match the pattern `^[a-z]+$`"});
  CHECK_FALSE(pack.accepts("{all: \"abc\\n\"}"));
}

TEST_CASE("int32 is a range") {
  const BuiltPack pack(
      "{type: object, properties: {p: {type: integer, format: int32}, q: {type: integer, format: "
      "int64}}}");
  CHECK(pack.accepts("{p: 2147483647, q: 9223372036854775807}"));
  CHECK(pack.faults("{p: 2147483648}") ==
        Lines{"p: found `2147483648`, wanted an integer of 32 bits"});
  CHECK_FALSE(pack.accepts("{q: 9223372036854775808}"));
}

TEST_CASE("only the controller refuses a number beyond its format int32") {
  const BuiltPack pack("{type: object, properties: {p: {type: number, format: int32}}}");
  CHECK(pack.faults("{p: 2147483648}") ==
        Lines{"warning: p: found `2147483648`, wanted an integer of 32 bits"});
  CHECK(pack.faults("{p: 2147483647}").empty());
}

TEST_CASE("int-or-string takes both and nothing else") {
  const BuiltPack pack(R"({type: object, properties: {p: {x-kubernetes-int-or-string: true,
      anyOf: [{type: integer}, {type: string}]}}})");
  CHECK(pack.accepts("{p: 3}"));
  CHECK(pack.accepts("{p: 50%}"));
  CHECK(pack.faults("{p: 1.5}") ==
        Lines{"p: found the number `1.5`, wanted an integer or a string: write `\"1.5\"`"});
  CHECK_FALSE(pack.accepts("{p: [1]}"));
}

TEST_CASE("quantities are understood, with a guess for the usual mistakes") {
  const BuiltPack pack("{type: object, properties: {q: {format: quantity}}}");
  for (const char* good : {"1", "0.5", "500m", "16Gi", "1e3", "-1", "+1", ".5", "5.", "2E"}) {
    INFO(good);
    CHECK(pack.accepts(std::string("{q: '") + good + "'}"));
  }
  CHECK(pack.accepts("{q: 0.5}"));
  CHECK(pack.accepts("{q: 4}"));
  for (const char* bad : {"", "1 Gi", "1gb", "1GB", "0x10", "1Ki1", "--1", "1e", "x"}) {
    INFO(bad);
    CHECK_FALSE(pack.accepts(std::string("{q: '") + bad + "'}"));
  }
  CHECK(pack.faults("{q: 16GB}") ==
        Lines{"q: `\"16GB\"` is not a quantity, wanted a number with an optional suffix such as "
              "`500m`, `16Gi` or `2`: did you mean `16G`?"});
  const Tree tree = tree_of("{q: 16gib}");
  CHECK(check_schema(pack.pack(), pack.id(), tree, tree.root())[0].replacement == "16Gi");
}

TEST_CASE("sets and unique items refuse equal values, however many there are") {
  const BuiltPack pack(R"({type: object, properties: {
      s: {type: array, x-kubernetes-list-type: set, items: {type: string}},
      u: {type: array, uniqueItems: true}}})");
  CHECK(pack.accepts("{s: [a, b], u: [1, '1', {a: 1}, {a: 2}]}"));
  CHECK(pack.faults("{s: [a, b, a]}") ==
        Lines{"s[2]: `\"a\"` is in the list already, wanted every item once"});
  CHECK(pack.faults("{u: [{a: 1, b: 2}, {b: 2, a: 1}]}").size() == 1);
  CHECK(pack.faults("{u: [1, 1.0]}").size() == 1);
  std::string many = "{s: [";
  for (int i = 0; i < 100; ++i) many += "x" + std::to_string(i) + ", ";
  CHECK(pack.accepts(many + "yy]}"));
  CHECK(pack.faults(many + "x7, x7, x0]}").size() == 3);
  CHECK(pack.faults(many + "x7, x7, x0]}")[0].starts_with("s[100]"));
}

TEST_CASE("list maps refuse equal keys, and know the defaults of keys") {
  const BuiltPack pack(R"({type: object, properties: {ports: {type: array,
      x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol],
      items: {type: object, required: [port], properties: {
        port: {type: integer}, protocol: {type: string, default: TCP}, name: {type: string}}}}}})");
  CHECK(pack.accepts("{ports: [{port: 1}, {port: 2}, {port: 1, protocol: UDP}]}"));
  CHECK(pack.faults("{ports: [{port: 1}, {port: 1, name: x, protocol: TCP}]}") ==
        Lines{"ports[1]: a second item with `port: 1`, `protocol: TCP`, wanted one"});
  CHECK(pack.faults("{ports: [{port: 1}, {port: 1}]}").size() == 1);
  std::string many = "{ports: [";
  for (int i = 0; i < 40; ++i) many += "{port: " + std::to_string(i) + "}, ";
  CHECK(pack.accepts(many + "{port: 7, protocol: UDP}]}"));
  CHECK(pack.faults(many + "{port: 7, protocol: TCP}]}").size() == 1);
}

TEST_CASE("a duplicate that the core API lets through is a warning") {
  const BuiltPack pack(R"({type: object, properties: {
      env: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
            x-kubernetes-patch-merge-key: name,
            items: {type: object, properties: {name: {type: string}}}}}})");
  CHECK(pack.faults("{env: [{name: A}, {name: A}]}") ==
        Lines{"warning: env[1]: a second item with `name: A`, wanted one: only server-side apply "
              "refuses it"});
}

TEST_CASE("the ports of a container may repeat, those of a Service may not") {
  const SchemaPack& pack = SchemaPack::builtin();
  Checker checker(pack);
  const Tree service = tree_of(
      "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 1}, {port: "
      "1}]}}");
  const auto refused = checker.check_object(*pack.find("v1", "Service"), service, service.root());
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].severity == Severity::Error);
  const Tree pod = tree_of(
      "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, ports: "
      "[{containerPort: 1}, {containerPort: 1}]}]}}");
  const auto warned = checker.check_object(*pack.find("v1", "Pod"), pod, pod.root());
  REQUIRE(warned.size() == 1);
  CHECK(warned[0].severity == Severity::Warning);
}

TEST_CASE("sets of Kubernetes' own kinds may repeat, but for those that are validated by hand") {
  const SchemaPack& pack = SchemaPack::builtin();
  Checker checker(pack);
  const auto severity_of = [&](std::string_view api_version, std::string_view kind,
                               const std::string& rest) {
    const Tree tree =
        tree_of("{apiVersion: " + std::string(api_version) + ", kind: " + std::string(kind) +
                ", metadata: {name: a}, " + rest + "}");
    const auto found = checker.check_object(*pack.find(api_version, kind), tree, tree.root());
    INFO(rest);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == DiagnosticKind::DuplicateItem);
    return found[0].severity;
  };
  CHECK(severity_of("storage.k8s.io/v1", "CSIDriver",
                    "spec: {volumeLifecycleModes: [Persistent, Persistent]}") == Severity::Warning);
  CHECK(severity_of("discovery.k8s.io/v1", "EndpointSlice",
                    "addressType: IPv4, endpoints: [{addresses: [10.0.0.1, 10.0.0.1]}]") ==
        Severity::Warning);
  CHECK(severity_of("v1", "Pod",
                    "spec: {containers: [{name: a, restartPolicy: Never, restartPolicyRules: "
                    "[{action: Restart, exitCodes: {operator: In, values: [1, 1]}}]}]}") ==
        Severity::Warning);
  CHECK(severity_of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
                    "spec: {variables: [{name: a, expression: 'true'}, {name: a, expression: "
                    "'false'}]}") == Severity::Warning);
  CHECK(severity_of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding",
                    "spec: {policyName: a, validationActions: [Deny, Deny]}") == Severity::Error);
  CHECK(severity_of("batch/v1", "Job",
                    "spec: {template: {spec: {containers: [{name: a}]}}, podFailurePolicy: {rules: "
                    "[{action: FailJob, onExitCodes: {operator: In, values: [1, 1]}}]}}") ==
        Severity::Error);
}

TEST_CASE("of some kinds the name is judged that comes of a generateName") {
  const SchemaPack& pack = SchemaPack::builtin();
  Checker checker(pack);
  const auto faults = [&](std::string_view api_version, std::string_view kind,
                          const std::string& prefix) {
    const Tree tree =
        tree_of("{apiVersion: " + std::string(api_version) + ", kind: " + std::string(kind) +
                ", metadata: {generateName: " + prefix + "}, spec: {}}");
    return checker.check_object(*pack.find(api_version, kind), tree, tree.root()).size();
  };
  CHECK(faults("v1", "ReplicationController", "a.") == 0);
  CHECK(faults("v1", "ReplicationController", std::string(300, 'a')) == 0);
  CHECK(faults("resource.k8s.io/v1", "DeviceClass", "a.b.") == 0);
  CHECK(faults("v1", "ReplicationController", "a-.") == 1);
  CHECK(faults("resource.k8s.io/v1", "DeviceClass", "Ab") == 1);
  CHECK(faults("v1", "PersistentVolumeClaim", "a.") == 1);
}

TEST_CASE("two rules of a CustomResourceDefinition may be the same text") {
  const SchemaPack& pack = SchemaPack::builtin();
  Checker checker(pack);
  const Tree tree = tree_of(
      "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "
      "as.b.c}, spec: {group: b.c, names: {plural: as, kind: A}, scope: Namespaced, versions: "
      "[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, "
      "x-kubernetes-validations: [{rule: 'true'}, {rule: 'true', message: b}]}}}]}}");
  const auto found = checker.check_object(
      *pack.find("apiextensions.k8s.io/v1", "CustomResourceDefinition"), tree, tree.root());
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::Warning);
}

TEST_CASE("below a partial schema nothing is required, but all else holds") {
  const BuiltPack pack(R"({type: object, properties: {pod: {type: object, x-trainyard-partial: true,
      required: [a], properties: {a: {type: string}, b: {type: object, required: [c],
        properties: {c: {type: integer}}}}}}})");
  CHECK(pack.accepts("{pod: {b: {}}}"));
  CHECK(pack.faults("{pod: {b: {c: x, d: 1}}}").size() == 2);
}

TEST_CASE("a null takes a field away below a partial schema, and is a typo elsewhere") {
  const BuiltPack pack(R"({type: object, properties: {
      part: {type: object, x-trainyard-partial: true, properties: {a: {type: string}}},
      whole: {type: object, properties: {a: {type: string}}}}})");
  CHECK(pack.accepts("{part: {a: null}}"));
  CHECK(pack.faults("{whole: {a: null}}").size() == 1);
}

TEST_CASE("every violation is reported, a map before its entries") {
  const BuiltPack pack(R"({type: object, required: [z], properties: {z: {type: string},
      l: {type: array, items: {type: object, properties: {a: {type: integer}}}}}})");
  CHECK(pack.faults("{l: [{a: x}, {b: 1, a: yy}]}") ==
        Lines{": missing field `z`", "l[0].a: found the string `\"x\"`, wanted an integer",
              "l[1].b: unknown field `b`, known is `a`",
              "l[1].a: found the string `\"yy\"`, wanted an integer"});
}

TEST_CASE("a schema that accepts anything accepts anything") {
  const BuiltPack pack(
      "{type: object, properties: {x: {x-kubernetes-preserve-unknown-fields: true}}}");
  for (const char* value : {"{x: 1}", "{x: [null]}", "{x: {a: {b: null}}}", "{x: 'yy'}"}) {
    INFO(value);
    CHECK(pack.accepts(value));
  }
}

TEST_CASE("one checker serves many values") {
  const BuiltPack pack("{type: object, properties: {a: {type: string, pattern: '^x'}}}");
  Checker checker(pack.pack());
  const Tree good = tree_of("{a: xy}");
  const Tree bad = tree_of("{a: yy}");
  for (int i = 0; i < 3; ++i) {
    CHECK(checker.check(pack.id(), good, good.root()).empty());
    CHECK(checker.check(pack.id(), bad, bad.root()).size() == 1);
  }
}

TEST_CASE("a custom resource has the pattern of a quantity instead, and gets the same help") {
  const BuiltPack pack(R"({type: object, properties: {q: {x-kubernetes-int-or-string: true,
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'}}})");
  CHECK(pack.accepts("{q: 16Gi}"));
  CHECK(pack.accepts("{q: 16}"));
  CHECK(pack.faults("{q: 16GB}")[0].ends_with("did you mean `16G`?"));
  CHECK_FALSE(pack.accepts("{q: Gi}"));
}
