#include "schema/merge.h"

#include <catch2/catch_test_macros.hpp>

#include "schema/json_text.h"
#include "unit/schema/built_pack.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;
using trainyard::testing::tree_of;

namespace {

constexpr std::string_view kSchema = R"({type: object, properties: {
    a: {type: string}, b: {type: string},
    m: {type: object, additionalProperties: {type: string}},
    atomic: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}},
    args: {type: array, items: {type: string}},
    set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
    open: {type: object, x-kubernetes-preserve-unknown-fields: true},
    containers: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
      x-kubernetes-patch-merge-key: name, items: {type: object, properties: {
        name: {type: string}, image: {type: string}, env: {type: array,
          x-kubernetes-patch-merge-key: name, items: {type: object, properties: {
            name: {type: string}, value: {type: string}}}}}}},
    ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol],
      items: {type: object, properties: {port: {type: integer},
        protocol: {type: string, default: TCP}, name: {type: string}}}}}})";

std::string json(const Tree& tree) {
  std::string out;
  append_json(tree, tree.root(), out);
  return out;
}

struct Merged {
  Tree tree;
  bool kept = true;
  Sink sink;
};

Merged merged(std::string_view object, std::string_view patch,
              MergeOrder order = MergeOrder::Behind) {
  const BuiltPack pack(kSchema);
  Merged result;
  result.tree = tree_of(object);
  const Tree from = tree_of(patch);
  result.kept = strategic_merge(pack.pack(), pack.id(), result.tree, result.tree.root(), from,
                                from.root(), result.sink, order);
  // Texts of the result must not look into the patch, so it is fine that it goes away here.
  return result;
}

std::string merge(std::string_view object, std::string_view patch) {
  const Merged result = merged(object, patch);
  CHECK_FALSE(result.sink.has_errors());
  CHECK(result.kept);
  return json(result.tree);
}

}  // namespace

TEST_CASE("maps merge, what is new comes last, null takes away") {
  CHECK(merge("{a: x, m: {k: v}}", "{b: yy, a: z}") == R"({"a":"z","m":{"k":"v"},"b":"yy"})");
  CHECK(merge("{m: {k: v, l: w}}", "{m: {l: null, nn: o}}") == R"({"m":{"k":"v","nn":"o"}})");
  CHECK(merge("{a: x}", "{b: null}") == R"({"a":"x"})");
  CHECK(merge("{a: x}", "{m: {k: null, l: v}}") == R"({"a":"x","m":{"l":"v"}})");
}

TEST_CASE("atomic maps and plain lists are replaced") {
  CHECK(merge("{atomic: {a: b}}", "{atomic: {c: d}}") == R"({"atomic":{"c":"d"}})");
  CHECK(merge("{args: [a, b], a: x}", "{args: [c]}") == R"({"args":["c"],"a":"x"})");
  CHECK(merge("{open: {l: [1], m: {a: 1}}}", "{open: {l: [2], m: {b: 2}}}") ==
        R"({"open":{"l":[2],"m":{"a":1,"b":2}}})");
}

TEST_CASE("sets gain what they lack") {
  CHECK(merge("{set: [a, b]}", "{set: [b, c]}") == R"({"set":["a","b","c"]})");
}

TEST_CASE("lists with keys merge item by item") {
  CHECK(merge("{containers: [{name: a, image: i}, {name: b}]}",
              "{containers: [{name: b, image: j}, {name: c}, {name: a, image: k}]}") ==
        R"({"containers":[{"name":"a","image":"k"},{"name":"b","image":"j"},{"name":"c"}]})");
  CHECK(
      merge("{containers: [{name: a, env: [{name: X, value: x}]}]}",
            "{containers: [{name: a, env: [{name: YY, value: yy}, {name: X, value: z}]}]}") ==
      R"({"containers":[{"name":"a","env":[{"name":"X","value":"z"},{"name":"YY","value":"yy"}]}]})");
}

TEST_CASE("a key that is left out counts with its default") {
  CHECK(merge("{ports: [{port: 1}]}", "{ports: [{port: 1, protocol: TCP, name: x}]}") ==
        R"({"ports":[{"port":1,"protocol":"TCP","name":"x"}]})");
  CHECK(merge("{ports: [{port: 1, protocol: UDP}]}", "{ports: [{port: 1}]}") ==
        R"({"ports":[{"port":1,"protocol":"UDP"},{"port":1}]})");
}

TEST_CASE("directives delete and replace") {
  CHECK(merge("{containers: [{name: a}, {name: b}]}",
              "{containers: [{name: a, $patch: delete}]}") == R"({"containers":[{"name":"b"}]})");
  CHECK(merge("{containers: [{name: a, image: i}]}",
              "{containers: [{name: a, $patch: replace, env: []}]}") ==
        R"({"containers":[{"name":"a","env":[]}]})");
  CHECK(merge("{containers: [{name: a}]}", "{containers: [{$patch: replace}, {name: c}]}") ==
        R"({"containers":[{"name":"c"}]})");
  CHECK(merge("{m: {k: v}}", "{m: {$patch: replace, l: w}}") == R"({"m":{"l":"w"}})");
  CHECK(merge("{m: {k: v}, a: x}", "{m: {$patch: delete}}") == R"({"a":"x"})");
  CHECK(merge("{a: x}", "{m: {$patch: delete, k: v}}") == R"({"a":"x"})");
  CHECK(merge("{a: x}", "{m: {$patch: merge, k: v}}") == R"({"a":"x","m":{"k":"v"}})");
  CHECK_FALSE(merged("{a: x}", "{$patch: delete}").kept);
}

TEST_CASE("a patch that cannot be applied says why, and the rest is applied") {
  const Merged keyless = merged("{containers: [{name: a}]}", "{containers: [{image: x}], a: yy}");
  REQUIRE(keyless.sink.all().size() == 1);
  CHECK(keyless.sink.all()[0].message ==
        "missing field `name`: items of this list are merged by it");
  CHECK(json(keyless.tree) == R"({"containers":[{"name":"a"}],"a":"yy"})");
  CHECK(merged("{m: {k: v}}", "{m: {$patch: drop}}").sink.has_errors());
  CHECK(merged("{m: {k: v}}", "{m: {$retainKeys: [k]}}").sink.has_errors());
  CHECK(merged("{containers: [{name: a}]}", "{containers: [x]}").sink.has_errors());
  CHECK(merged("{a: x}", "[a]").sink.has_errors());
}

TEST_CASE("values from the patch keep their origin, the others keep theirs") {
  const BuiltPack pack(kSchema);
  Tree tree = tree_of("{a: x, m: {k: v}}");
  Tree patch = tree_of("{a: yy, m: {l: w}, args: [z]}");
  for (NodeId id = 0; id < tree.size(); ++id) tree[id].origin = 1;
  for (NodeId id = 0; id < patch.size(); ++id) patch[id].origin = 2;
  Sink sink;
  strategic_merge(pack.pack(), pack.id(), tree, tree.root(), patch, patch.root(), sink);
  const View root(tree, tree.root());
  CHECK(root->origin == 1);
  CHECK(root["a"]->origin == 2);
  CHECK(root["m"]->origin == 1);
  CHECK(root["m"]["k"]->origin == 1);
  CHECK(root["m"]["l"]->origin == 2);
  CHECK(root["args"]->origin == 2);
  CHECK(tree[root["args"]->first].origin == 2);
}

TEST_CASE("merging the same patch twice changes nothing more") {
  const std::string once =
      merge("{containers: [{name: a}], set: [x]}", "{containers: [{name: b}], set: [yy], a: z}");
  CHECK(merge(once, "{containers: [{name: b}], set: [yy], a: z}") == once);
}

TEST_CASE("in the server's order what a patch speaks of stands as the patch has it") {
  const auto names = [](std::string_view object, std::string_view patch) {
    const Merged result = merged(object, patch, MergeOrder::AsServer);
    CHECK_FALSE(result.sink.has_errors());
    std::string text;
    const Tree& tree = result.tree;
    for (NodeId item : tree.children(tree.find(tree.root(), "containers"))) {
      text += View(tree, item)["name"].text();
    }
    return text;
  };
  constexpr std::string_view kObject = "{containers: [{name: a}, {name: b}, {name: c}]}";
  CHECK(names(kObject, "{containers: [{name: n}]}") == "nabc");
  CHECK(names(kObject, "{containers: [{name: b, image: i}]}") == "abc");
  CHECK(names(kObject, "{containers: [{name: c}, {name: a}]}") == "bca");
  CHECK(names(kObject, "{containers: [{name: b}, {name: n}]}") == "abnc");
  CHECK(names(kObject, "{containers: [{name: n}, {name: b}, {name: b, image: i}]}") == "nabc");
  CHECK(names(kObject, "{containers: [{name: b, $patch: delete}]}") == "ac");
  CHECK(names("{}", "{containers: [{name: b}, {name: a}]}") == "ba");
}
