#include <catch2/catch_test_macros.hpp>
#include <map>

#include "schema/import.h"
#include "schema/json_text.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::tree_of;

namespace {

constexpr std::string_view kV2 = R"(
swagger: "2.0"
paths:
  /api/v1/namespaces/{namespace}/things: {post: {x-kubernetes-group-version-kind: {group: "", kind: Thing, version: v1}}}
  /api/v1/things: {get: {}}
  /api/v1/namespaces/{namespace}/things/{name}/other: {post: {x-kubernetes-group-version-kind: {group: "", kind: Thing, version: v1}}}
  /apis/my.k8s.io/v1/wholes: {post: {x-kubernetes-group-version-kind: {group: my.k8s.io, kind: Whole, version: v1}}}
definitions:
  io.k8s.api.core.v1.Thing:
    description: d
    type: object
    required: [spec]
    properties:
      metadata: {$ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', description: m}
      spec: {$ref: '#/definitions/io.k8s.api.core.v1.Spec'}
    x-kubernetes-group-version-kind: [{group: "", kind: Thing, version: v1}]
  io.k8s.api.core.v1.Spec:
    type: object
    properties:
      cpu: {$ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity'}
      port: {$ref: '#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString'}
      raw: {$ref: '#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension'}
      strategy: {$ref: '#/definitions/io.k8s.api.core.v1.Spec', x-kubernetes-patch-strategy: retainKeys}
      protocol: {type: string}
      empty: {type: string}
  io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta:
    properties: {time: {$ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time'}}
  io.k8s.apimachinery.pkg.apis.meta.v1.Status:
    x-kubernetes-group-version-kind: [{group: "", kind: Status, version: v1}]
  io.k8s.api.mine.v1.Whole:
    properties: {spec: {$ref: '#/definitions/io.k8s.api.core.v1.Spec'}}
    x-kubernetes-group-version-kind: [{group: my.k8s.io, kind: Whole, version: v1}]
  io.k8s.api.mine.v1.Broken:
    properties: {spec: {$ref: '#/definitions/io.k8s.api.core.v1.None'}}
    x-kubernetes-group-version-kind: [{group: my.k8s.io, kind: Broken, version: v1}]
)";

constexpr std::string_view kV3 = R"(
components:
  schemas:
    io.k8s.api.core.v1.Spec:
      properties: {protocol: {default: TCP}, empty: {default: ""}, cpu: {default: {}}}
)";

std::map<std::string, std::string> imported(std::string_view document, std::string_view defaults,
                                            const std::vector<WantedKind>& kinds, Sink& sink) {
  const Tree tree = tree_of(document);
  const Tree defaults_tree = tree_of(defaults);
  const Tree* const all_defaults[] = {&defaults_tree};
  std::map<std::string, std::string> result;
  for (const auto& schema : import_openapi(tree, kinds, all_defaults, "s", sink)) {
    append_json(schema.schema, schema.schema.root(), result[schema.path()]);
    result[schema.path()] += schema.facts.namespaced ? " namespaced " : " cluster ";
    result[schema.path()] += schema.facts.plural;
  }
  return result;
}

}  // namespace

TEST_CASE("kinds of an OpenAPI document come with the definitions that they use") {
  Sink sink;
  const auto files = imported(kV2, kV3, {{"", "v1", "Thing"}, {"my.k8s.io", "v1", "Whole"}}, sink);
  CHECK_FALSE(sink.has_errors());
  REQUIRE(files.size() == 3);
  CHECK(files.at("core/v1/Thing.json") ==
        R"({"type":"object","required":["spec"],"properties":{)"
        R"("metadata":{"x-trainyard-ref":"core/v1/ObjectMeta","nullable":true},)"
        R"("spec":{"x-trainyard-ref":"core/v1/Spec"}}} namespaced things)");
  CHECK(
      files.at("my.k8s.io/v1/Whole.json") ==
      R"({"properties":{"spec":{"x-trainyard-ref":"core/v1/Spec","nullable":true}}} cluster wholes)");
  CHECK(
      files.at("core/v1/definitions.json") ==
      R"({"$defs":{"ObjectMeta":{"properties":{"time":{"type":"string","format":"date-time","nullable":true}}},)"
      R"("Spec":{"type":"object","properties":{"cpu":{"format":"quantity","nullable":true},)"
      R"("port":{"nullable":true,"x-kubernetes-int-or-string":true},)"
      R"("raw":{"type":"object","nullable":true,"x-kubernetes-preserve-unknown-fields":true},)"
      R"("strategy":{"x-trainyard-ref":"core/v1/Spec","nullable":true,"x-kubernetes-patch-strategy":"retainKeys"},)"
      R"("protocol":{"type":"string","nullable":true,"default":"TCP"},)"
      R"("empty":{"type":"string","nullable":true}}}}} namespaced )");
}

TEST_CASE("a v3 document says references in its own way") {
  Sink sink;
  const auto files = imported(R"(
components:
  schemas:
    io.k8s.api.core.v1.Thing:
      properties: {spec: {allOf: [{$ref: '#/components/schemas/io.k8s.api.core.v1.Spec'}], default: {}, description: d}}
      x-kubernetes-group-version-kind: [{group: "", kind: Thing, version: v1}]
    io.k8s.api.core.v1.Spec:
      properties: {default: {type: string, default: ""}, all: {allOf: [{$ref: '#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity'}]}}
)",
                              "{}", {{"", "v1", "Thing"}}, sink);
  CHECK_FALSE(sink.has_errors());
  CHECK(files.at("core/v1/Thing.json") ==
        R"({"properties":{"spec":{"x-trainyard-ref":"core/v1/Spec","nullable":true}}} cluster )");
  CHECK(files.at("core/v1/definitions.json") ==
        R"({"$defs":{"Spec":{"properties":{"default":{"type":"string","nullable":true},)"
        R"("all":{"format":"quantity","nullable":true}}}}} namespaced )");
}

TEST_CASE("what an OpenAPI document lacks is reported") {
  Sink sink;
  CHECK(imported(kV2, kV3, {{"", "v1", "None"}}, sink).empty());
  CHECK(sink.error_count() == 1);
  Sink broken;
  imported(kV2, kV3, {{"my.k8s.io", "v1", "Broken"}}, broken);
  CHECK(broken.error_count() == 1);
  Sink empty;
  CHECK(imported("[]", "[]", {{"", "v1", "Pod"}}, empty).empty());
  CHECK(empty.error_count() == 1);
}
