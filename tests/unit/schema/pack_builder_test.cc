#include "schema/pack_builder.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::tree_of;

namespace {

SchemaFacts facts(std::string group, std::string version, std::string kind) {
  SchemaFacts result;
  result.group = std::move(group);
  result.version = std::move(version);
  result.kind = std::move(kind);
  return result;
}

/// A pack with its image.
struct Built {
  std::string image;
  SchemaPack pack;
  Sink sink;
};

Built built(const PackBuilder& builder) {
  Built result;
  result.image = builder.build(result.sink);
  for (const auto& d : result.sink.all()) UNSCOPED_INFO(d.message);
  const auto pack = SchemaPack::open(result.image);
  REQUIRE(pack);
  result.pack = *pack;
  return result;
}

Built built(std::string_view schema) {
  PackBuilder builder;
  builder.add_kind(facts("g", "v1", "K"), tree_of(schema));
  return built(builder);
}

const SchemaNode& root(const Built& b) {
  return b.pack[b.pack.find("g/v1", "K")->schema];
}

const SchemaNode& at(const Built& b, const SchemaNode& node, std::string_view name) {
  const auto id = b.pack.property(node, name);
  INFO(name);
  REQUIRE(id);
  return b.pack[*id];
}

std::vector<std::string> errors_of(std::string_view schema) {
  PackBuilder builder;
  builder.add_kind(facts("g", "v1", "K"), tree_of(schema));
  Sink sink;
  CHECK(builder.build(sink).empty());
  std::vector<std::string> result;
  for (const auto& d : sink.all()) {
    CHECK(d.kind == DiagnosticKind::BadSchema);
    result.push_back(d.message);
  }
  return result;
}

}  // namespace

TEST_CASE("a pack finds kinds by group, version and kind") {
  PackBuilder builder;
  builder.add_kind(facts("", "v1", "Pod"), tree_of("{type: object}"));
  builder.add_kind(facts("batch", "v1", "Job"), tree_of("{type: object}"));
  builder.add_kind(facts("batch.volcano.sh", "v1alpha1", "Job"), tree_of("{type: string}"));
  const Built b = built(builder);
  REQUIRE(b.pack.kinds().size() == 3);
  CHECK(b.pack.text(b.pack.kinds()[0].kind) == "Pod");
  CHECK(b.pack.find("v1", "Pod") != nullptr);
  CHECK(b.pack.find("batch/v1", "Job") == b.pack.find("batch", "v1", "Job"));
  CHECK(b.pack[b.pack.find("batch.volcano.sh/v1alpha1", "Job")->schema].types == kString);
  CHECK(b.pack.find("batch/v1", "CronJob") == nullptr);
  CHECK(b.pack.find("v2", "Pod") == nullptr);
  CHECK(b.pack.find("", "") == nullptr);
}

TEST_CASE("every keyword reaches the node") {
  const Built b = built(R"(
type: object
required: [b, a]
minProperties: 1
maxProperties: 9
nullable: true
x-kubernetes-map-type: atomic
x-kubernetes-validations:
- {rule: self.a > 1, message: m, messageExpression: e, reason: r, fieldPath: .a, optionalOldSelf: true}
- {rule: self.b}
properties:
  a: {type: integer, format: int32, minimum: -1, maximum: 2.5, exclusiveMaximum: true, multipleOf: 0.5, default: 1}
  b: {type: string, enum: [x, "1", ""], pattern: "^a+$", minLength: 2, maxLength: 5, description: text}
  c: {type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
      x-kubernetes-patch-merge-key: k, minItems: 1, maxItems: 3, uniqueItems: true}
  d: {x-kubernetes-int-or-string: true}
  e: {type: object, additionalProperties: {type: boolean}}
  f: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}
  g: {format: quantity}
  h: {allOf: [{minimum: 1}], anyOf: [{required: [x]}, {}], oneOf: [{type: string}], not: {enum: [3]}}
  i: {type: string, format: int-or-string}
  j: {type: [string, "null"]}
  k: {exclusiveMinimum: 0}
)");
  const SchemaNode& top = root(b);
  CHECK(top.types == kObject);
  CHECK(top.flags == (kNullable | kClosed));
  CHECK(top.map_type == MapType::Atomic);
  REQUIRE(b.pack.texts(top.required).size() == 2);
  CHECK(b.pack.text(b.pack.texts(top.required)[0]) == "b");
  CHECK((top.min_properties == 1 && top.max_properties == 9));
  const auto rules = b.pack.rules(top);
  REQUIRE(rules.size() == 2);
  CHECK(b.pack.text(rules[0].rule) == "self.a > 1");
  CHECK(b.pack.text(rules[0].message_expression) == "e");
  CHECK(b.pack.text(rules[0].field_path) == ".a");
  CHECK((rules[0].optional_old_self == 1 && rules[1].optional_old_self == 0));

  const SchemaNode& a = at(b, top, "a");
  CHECK(a.types == kInteger);
  CHECK(a.flags == (kHasMinimum | kHasMaximum | kExclusiveMaximum));
  CHECK((a.minimum == -1 && a.maximum == 2.5 && a.multiple_of == 0.5));
  CHECK(b.pack.text(a.default_value) == "1");
  CHECK(b.pack.text(a.format) == "int32");

  const SchemaNode& text = at(b, top, "b");
  REQUIRE(b.pack.texts(text.enum_values).size() == 3);
  CHECK(b.pack.text(b.pack.texts(text.enum_values)[1]) == "\"1\"");
  CHECK(b.pack.text(b.pack.texts(text.enum_values)[2]) == "\"\"");
  CHECK(b.pack.text(text.pattern) == "^a+$");
  CHECK((text.min_length == 2 && text.max_length == 5));
  CHECK(b.pack.text(text.description) == "text");

  const SchemaNode& list = at(b, top, "c");
  CHECK(list.list_type == ListType::Map);
  CHECK(b.pack.text(b.pack.texts(list.list_keys)[0]) == "k");
  CHECK(b.pack.text(b.pack.texts(list.merge_keys)[0]) == "k");
  CHECK((list.min_items == 1 && list.max_items == 3));
  CHECK(list.flags == kUniqueItems);
  CHECK(b.pack[list.items].flags == kClosed);

  CHECK(at(b, top, "d").flags == kIntOrString);
  CHECK(b.pack[at(b, top, "e").additional].types == kBoolean);
  CHECK(at(b, top, "f").flags == (kPreserveUnknown | kEmbeddedResource));
  CHECK(at(b, top, "g").flags == kQuantity);
  CHECK(at(b, top, "g").types == (kString | kInteger | kNumber));
  const SchemaNode& logic = at(b, top, "h");
  CHECK((logic.all_of.count == 1 && logic.any_of.count == 2 && logic.one_of.count == 1));
  CHECK(b.pack.ids(logic.any_of)[1] == kAnySchema);
  CHECK(b.pack[logic.negated].enum_values.count == 1);
  CHECK(at(b, top, "i").flags == kIntOrString);
  CHECK(at(b, top, "j").flags == kNullable);
  CHECK(at(b, top, "j").types == kString);
  CHECK(at(b, top, "k").flags == (kHasMinimum | kExclusiveMinimum));
  CHECK_FALSE(b.pack.property(top, "z"));
  CHECK_FALSE(b.pack.property(top, ""));
}

TEST_CASE("what only restricts does not close an object") {
  const Built b = built(R"(
type: object
properties: {a: {type: string}}
anyOf: [{properties: {a: {enum: [x]}}}, {additionalProperties: false}]
)");
  const auto any = b.pack.ids(root(b).any_of);
  CHECK((root(b).flags & kClosed) != 0);
  CHECK((b.pack[any[0]].flags & kClosed) == 0);
  CHECK((b.pack[any[1]].flags & kClosed) != 0);
}

TEST_CASE("references mean the same subtree, with additions beside them") {
  const Built b = built(R"(
type: object
$defs: {name: {type: string, maxLength: 5}, both: {$ref: '#/$defs/name'}}
properties:
  a: {$ref: '#/$defs/name'}
  b: {$ref: '#/$defs/both', maxLength: 3, description: shorter}
  c: {type: string, maxLength: 5}
)");
  CHECK(b.pack.property(root(b), "a") == b.pack.property(root(b), "c"));
  CHECK(at(b, root(b), "b").max_length == 3);
  CHECK(at(b, root(b), "b").types == kString);
  CHECK(at(b, root(b), "a").max_length == 5);
}

TEST_CASE("references reach the definitions and kinds of other files") {
  PackBuilder builder;
  builder.add_kind(facts("g", "v1", "K"), tree_of(R"(
type: object
properties:
  pod: {x-trainyard-ref: core/v1/PodTemplateSpec, x-trainyard-partial: true, description: yours}
  job: {x-trainyard-ref: batch/v1/Job}
)"));
  builder.add_kind(facts("batch", "v1", "Job"), tree_of("{type: object, required: [x]}"));
  builder.add_definitions("", "v1", "s", tree_of(R"(
$defs:
  PodTemplateSpec: {type: object, properties: {spec: {$ref: '#/$defs/PodSpec'}}}
  PodSpec: {type: object, required: [containers], properties: {containers: {type: array}}}
)"));
  const Built b = built(builder);
  const SchemaNode& pod = at(b, root(b), "pod");
  CHECK(pod.flags == (kPartial | kClosed));
  CHECK(b.pack.text(pod.description) == "yours");
  CHECK(at(b, pod, "spec").required.count == 1);
  CHECK(b.pack.property(root(b), "job") == b.pack.find("batch/v1", "Job")->schema);
  CHECK(b.pack.find("v1", "PodSpec") == nullptr);
  REQUIRE(b.pack.find_definition("", "v1", "PodSpec") != nullptr);
  CHECK(b.pack.property(pod, "spec") == b.pack.find_definition("", "v1", "PodSpec")->schema);
}

TEST_CASE("a schema may contain itself") {
  const Built b = built(R"(
type: object
$defs:
  tree:
    type: object
    properties:
      left: {$ref: '#/$defs/tree'}
      right: {$ref: '#/$defs/tree', description: the other one}
      values: {type: array, items: {$ref: '#/$defs/leaf'}}
  leaf: {type: object, properties: {up: {$ref: '#/$defs/tree'}}}
properties: {top: {$ref: '#/$defs/tree'}}
)");
  const SchemaNode& top = at(b, root(b), "top");
  CHECK(&at(b, top, "left") == &top);
  const SchemaNode& right = at(b, top, "right");
  CHECK(b.pack.text(right.description) == "the other one");
  CHECK(&at(b, right, "left") == &top);
  CHECK(&at(b, b.pack[at(b, top, "values").items], "up") == &top);
}

TEST_CASE("a schema that is nothing but itself is refused") {
  CHECK(
      errors_of("{$defs: {a: {$ref: '#/$defs/a'}}, properties: {x: {$ref: '#/$defs/a'}}}").size() ==
      1);
  CHECK_FALSE(errors_of("{$defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}}, properties: {x: "
                        "{$ref: '#/$defs/a'}}}")
                  .empty());
  CHECK_FALSE(
      errors_of(
          "{$defs: {a: {$ref: '#/$defs/a', type: object}}, properties: {x: {$ref: '#/$defs/a'}}}")
          .empty());
  CHECK_FALSE(errors_of("{$defs: {a: {type: string, allOf: [{$ref: '#/$defs/a'}]}}, properties: "
                        "{x: {$ref: '#/$defs/a'}}}")
                  .empty());
}

TEST_CASE("the patterns of one file have a budget, and the first beyond it is reported") {
  std::string patterns;
  for (int i = 0; i < 7; ++i) patterns += ", {pattern: '.{0,1000}" + std::to_string(i) + "'}";
  CHECK(errors_of("{allOf: [{type: string}" + patterns + "]}") ==
        std::vector<std::string>{"the patterns of this file up to here take 54030 instructions; "
                                 "expected at most 50000"});
  std::string repeated;
  for (int i = 0; i < 7; ++i) repeated += ", {pattern: '.{0,1000}0'}";
  CHECK(built("{allOf: [{type: string}" + repeated + "]}").sink.all().empty());
}

TEST_CASE("what is wrong in a schema is reported, all of it") {
  CHECK(errors_of("{type: objekt}") == std::vector<std::string>{"there is no type `objekt`"});
  CHECK(errors_of("{requried: [a], minLength: -1, minimum: x, pattern: '(', nullable: 1}").size() ==
        5);
  CHECK(errors_of("[]").size() == 1);
  CHECK(
      errors_of("{properties: [a], required: a, enum: 3, allOf: {}, x-kubernetes-validations: {}}")
          .size() == 5);
  CHECK(errors_of("{properties: {a: 3, b: null}}").size() == 2);
  CHECK(errors_of("{properties: {a: {$ref: '#/$defs/none'}, b: {x-trainyard-ref: core/v1/None}, c: "
                  "{$ref: 3}}}")
            .size() == 3);
  CHECK(errors_of("{x-kubernetes-list-type: bag, x-kubernetes-map-type: set, format: 3}").size() ==
        3);
  CHECK(errors_of("{x-kubernetes-validations: [{message: m}]}").size() == 1);
}

TEST_CASE("two schemas of one name are refused") {
  PackBuilder builder;
  builder.add_kind(facts("g", "v1", "K"), tree_of("{type: object}"));
  builder.add_definitions("g", "v1", "", tree_of("{$defs: {K: {type: string}}}"));
  Sink sink;
  CHECK(builder.build(sink).empty());
  CHECK(sink.error_count() == 1);
}

TEST_CASE("schemas nested too deep are refused") {
  Tree tree;
  NodeId inner = tree.add_map();
  for (int i = 0; i < 1100; ++i) {
    const NodeId outer = tree.add_map();
    tree.append(outer, "items", inner);
    inner = outer;
  }
  tree.set_root(inner);
  PackBuilder builder;
  builder.add_kind(facts("g", "v1", "K"), std::move(tree));
  Sink sink;
  CHECK(builder.build(sink).empty());
  CHECK(sink.error_count() == 1);
}

TEST_CASE("the image does not depend on the order of adding") {
  const auto image = [](bool reverse) {
    PackBuilder builder;
    for (const int i : {0, 1, 2}) {
      const int n = reverse ? 2 - i : i;
      builder.add_kind(
          facts("g", "v" + std::to_string(n), "K"),
          tree_of("{type: object, properties: {a" + std::to_string(n) + ": {type: string}}}"));
    }
    Sink sink;
    return builder.build(sink);
  };
  CHECK(image(false) == image(true));
}

TEST_CASE("equal subtrees are stored once") {
  PackBuilder one;
  one.add_kind(facts("g", "v1", "K"),
               tree_of("{type: object, properties: {a: {type: string, pattern: x}}}"));
  PackBuilder two;
  two.add_kind(facts("g", "v1", "K"),
               tree_of("{type: object, properties: {a: {type: string, pattern: x}}}"));
  two.add_kind(facts("g", "v2", "K"),
               tree_of("{type: object, properties: {a: {pattern: x, type: string}}}"));
  CHECK(built(one).pack.size() == built(two).pack.size());
}

TEST_CASE("a pack for users copies what it needs from the built-in one") {
  PackBuilder core;
  core.add_kind(facts("", "v1", "Pod"),
                tree_of("{type: object, properties: {spec: {$ref: '#/$defs/s'}}, $defs: {s: {type: "
                        "object, required: [a], properties: {a: {type: integer, default: 3}, up: "
                        "{$ref: '#/$defs/s'}}}}}"));
  core.add_definitions(
      "", "v1", "",
      tree_of("{$defs: {Meta: {type: object, x-kubernetes-validations: [{rule: r}]}}}"));
  const Built base = built(core);
  PackBuilder user(&base.pack);
  user.add_kind(facts("g", "v1", "K"), tree_of("{properties: {pod: {x-trainyard-ref: core/v1/Pod}, "
                                               "metadata: {x-trainyard-ref: core/v1/Meta}}}"));
  const Built b = built(user);
  const SchemaNode& spec = at(b, at(b, root(b), "pod"), "spec");
  CHECK(b.pack.text(at(b, spec, "a").default_value) == "3");
  CHECK(&at(b, spec, "up") == &spec);
  CHECK(b.pack.text(b.pack.rules(at(b, root(b), "metadata"))[0].rule) == "r");
  CHECK(b.pack.kinds().size() == 1);
}
