#include <catch2/catch_test_macros.hpp>
#include <map>

#include "file_text.h"
#include "folders.h"
#include "schema/import.h"
#include "schema/json_text.h"
#include "schema/pack_builder.h"
#include "unit/schema/shared.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

constexpr std::string_view kCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Job, plural: jobs, listKind: JobList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        description: a job
        type: object
        required: [spec]
        properties:
          metadata: {type: object, properties: {name: {type: string, maxLength: 40, description: d}}}
          spec:
            description: what
            type: object
            x-kubernetes-validations: [{rule: self.a > 0, message: "a: positive"}]
            properties:
              description: {type: string, description: a field called description}
              port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true, pattern: x}
              both: {anyOf: [{type: integer}, {minLength: 2}], x-kubernetes-int-or-string: true}
              a: {default: false, nullable: false, type: boolean, title: t, example: e, externalDocs: {url: u}}
  - {name: v2, served: false, storage: false}
  - {name: v3, served: true, storage: false}
)";

std::vector<ImportedSchema> imported(std::string_view crd) {
  Sink sink;
  auto result = import_crd(tree_of(crd), "project v1 path", sink);
  for (const auto& d : sink.all()) UNSCOPED_INFO(d.message);
  REQUIRE_FALSE(sink.has_errors());
  return result;
}

std::string json(const Tree& tree) {
  std::string out;
  append_json(tree, tree.root(), out);
  return out;
}

/// How often a schema says what the columns of the index count.
class Counter {
 public:
  explicit Counter(const Tree& tree) : tree_(tree) { schema(tree.root()); }

  std::map<std::string, int> counts;

 private:
  void has(NodeId node, const char* keyword, const char* column) {
    if (tree_.find(node, keyword) != kNoNode) ++counts[column];
  }

  void schema(NodeId id) {
    if (!tree_[id].is_map()) return;
    const View node(tree_, id);
    if (const View ref = node["$ref"]) {
      constexpr std::string_view kPrefix = "#/$defs/";
      REQUIRE(ref.text().starts_with(kPrefix));
      const View defs = View(tree_, tree_.root())["$defs"];
      return schema(defs[ref.text().substr(kPrefix.size())].id());
    }
    has(id, "x-kubernetes-list-map-keys", "list_map_keys");
    has(id, "x-kubernetes-int-or-string", "int_or_string");
    has(id, "x-kubernetes-preserve-unknown-fields", "preserve_unknown_fields");
    has(id, "x-kubernetes-embedded-resource", "embedded_resource");
    has(id, "enum", "enum");
    has(id, "pattern", "pattern");
    has(id, "default", "default");
    has(id, "required", "required");
    has(id, "format", "format");
    has(id, "oneOf", "oneOf");
    has(id, "anyOf", "anyOf_not_int_or_string");
    has(id, "not", "not");
    if (node["x-kubernetes-list-type"].text() == "set") ++counts["list_type_set"];
    for (const View rules = node["x-kubernetes-validations"];
         [[maybe_unused]] const NodeId rule : tree_.children(rules.id())) {
      ++counts["cel_rules"];
    }
    below(node);
  }

  void below(View node) {
    for (const NodeId property : tree_.children(node["properties"].id())) {
      ++counts["properties_total"];
      schema(property);
    }
    for (const char* keyword : {"items", "additionalProperties", "not"}) {
      if (const View value = node[keyword]) schema(value.id());
    }
    for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
      for (const NodeId part : tree_.children(node[keyword].id())) schema(part);
    }
  }

  const Tree& tree_;
};

/// The fields of every object that a CRD leaves unsaid and the import adds.
int fields_added(const Tree& crd) {
  int added = 0;
  const View versions = View(crd, crd.root())["spec"]["versions"];
  for (const NodeId id : crd.children(versions.id())) {
    const View properties = View(crd, id)["schema"]["openAPIV3Schema"]["properties"];
    for (const char* name : {"apiVersion", "kind", "metadata"}) added += properties[name] ? 0 : 1;
  }
  return added;
}

}  // namespace

TEST_CASE("a CRD becomes a schema for each version that is served") {
  const auto schemas = imported(kCrd);
  REQUIRE(schemas.size() == 2);
  const SchemaFacts& facts = schemas[0].facts;
  CHECK(facts.name() == "example.org/v1/Job");
  CHECK(facts.plural == "jobs");
  CHECK(facts.namespaced);
  CHECK(facts.source == "project v1 path");
  CHECK(schemas[1].facts.version == "v3");
  CHECK(schemas[1].path() == "example.org/v3/Job.json");
}

TEST_CASE("the import keeps what checks and drops what tells") {
  const auto schemas = imported(kCrd);
  CHECK(
      json(schemas[0].schema) ==
      R"({"type":"object","required":["spec"],"properties":{)"
      R"("metadata":{"x-trainyard-ref":"core/v1/ObjectMeta",)"
      R"("allOf":[{"type":"object","properties":{"name":{"type":"string","maxLength":40}}}]},)"
      R"("spec":{"type":"object",)"
      R"("x-kubernetes-validations":[{"rule":"self.a > 0","message":"a: positive"}],)"
      R"("properties":{"description":{"type":"string"},)"
      R"("port":{"x-kubernetes-int-or-string":true,"pattern":"x"},)"
      R"("both":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"minLength":2}]},)"
      R"("a":{"type":"boolean","default":false}}},)"
      R"("apiVersion":{"type":"string"},"kind":{"type":"string"}}})");
}

TEST_CASE("a version without a schema takes everything but knows the fields of every object") {
  const auto schemas = imported(kCrd);
  const View root(schemas[1].schema, schemas[1].schema.root());
  CHECK(root["x-kubernetes-preserve-unknown-fields"].text() == "true");
  CHECK(root["properties"]["metadata"]["x-trainyard-ref"].text() == "core/v1/ObjectMeta");
}

TEST_CASE("what is not a CRD is refused") {
  for (const char* text :
       {"{kind: Pod}", "[]", "a",
        "{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition}",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: 3}",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: g, "
        "names: {kind: K}}}",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: g, "
        "names: {kind: K}, versions: [{served: true}]}}"}) {
    INFO(text);
    Sink sink;
    CHECK(import_crd(tree_of(text), "s", sink).empty());
    CHECK(sink.error_count() >= 1);
    for (const auto& d : sink.all()) CHECK(d.kind == DiagnosticKind::BadSchema);
  }
}

TEST_CASE("the text of a schema file reads back as the same schema") {
  for (const ImportedSchema& schema : imported(kCrd)) {
    const Tree file = tree_of(schema.text());
    const SchemaFacts facts = facts_of(file, "elsewhere/v0/None.json");
    CHECK(facts.name() == schema.facts.name());
    CHECK(facts.source == schema.facts.source);
    CHECK(facts.plural == schema.facts.plural);
    CHECK(facts.namespaced == schema.facts.namespaced);
    const View root(file, file.root());
    for (const NodeId id : schema.schema.children(schema.schema.root())) {
      CHECK(equal(schema.schema, id, file, root[schema.schema[id].key].id()));
    }
  }
}

TEST_CASE("a file without facts is what its path says") {
  const Tree file = tree_of("{type: object}");
  CHECK(facts_of(file, "core/v1/Pod.yaml").group.empty());
  CHECK(facts_of(file, "core/v1/Pod.yaml").name() == "core/v1/Pod");
  CHECK(facts_of(file, "trainyard/v1alpha1/TrainingJob.yaml").name() ==
        "trainyard/v1alpha1/TrainingJob");
  CHECK(facts_of(file, "batch/v1/definitions.json").kind.empty());
}

TEST_CASE(
    "each collected CRD gives the schema files of the tree, with what the index counts in it") {
  const auto shared = shared_folder();
  const auto table = shared / "crds/INDEX.tsv";
  if (!std::filesystem::exists(table)) SKIP(missing_definitions(table));
  const Table index = read_tsv(table);
  REQUIRE(index.rows.size() > 80);
  for (const auto& row : index.rows) {
    const std::string& file = index.at(row, "local_file");
    INFO(file);
    const Tree crd = tree_of(read_file(shared / file));
    Sink sink;
    std::map<std::string, int> counts;
    std::string versions;
    const std::string source =
        index.at(row, "repo") + " " + index.at(row, "version") + " " + index.at(row, "path");
    for (const ImportedSchema& schema : import_crd(crd, source, sink)) {
      for (const auto& [column, count] : Counter(schema.schema).counts) counts[column] += count;
      versions += (versions.empty() ? "" : ",") + schema.facts.version;
      CHECK(schema.facts.group == index.at(row, "group"));
      CHECK(schema.facts.kind == index.at(row, "kind"));
      CHECK(schema.facts.plural == index.at(row, "plural"));
      CHECK(schema.facts.namespaced == (index.at(row, "scope") == "Namespaced"));
      const auto written = repository() / "schemas" / schema.path();
      CHECK((schema.text() == read_file(written)));
    }
    CHECK_FALSE(sink.has_errors());
    CHECK(versions == index.at(row, "versions_served"));
    counts["properties_total"] -= fields_added(crd);
    // What the operators' webhooks fill in: see schema/webhook_defaults.cc.
    const std::string kind = index.at(row, "kind");
    if (kind == "JobSet") counts["default"] -= 6;
    if (kind == "LeaderWorkerSet") counts["default"] -= 2;
    for (const char* column :
         {"properties_total", "cel_rules", "list_map_keys", "int_or_string",
          "preserve_unknown_fields", "embedded_resource", "list_type_set", "enum", "pattern",
          "default", "required", "format", "oneOf", "anyOf_not_int_or_string", "not"}) {
      INFO(column);
      CHECK(counts[column] == std::stoi(index.at(row, column)));
    }
  }
}
