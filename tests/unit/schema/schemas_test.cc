// The folder schemas/ itself: what it says about itself holds. That importing again changes nothing
// is shown in import_crd_test.cc.

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>

#include "file_text.h"
#include "folders.h"
#include "schema/import.h"
#include "schema/pack_builder.h"
#include "schema/schema_file.h"
#include "unit/schema/shared.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using namespace trainyard::testing;
namespace fs = std::filesystem;

namespace {

const fs::path kSchemas = repository() / "schemas";

std::set<std::string> imported_files() {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kSchemas)) {
    if (entry.path().extension() == ".json") {
      files.insert(entry.path().lexically_relative(kSchemas).generic_string());
    }
  }
  return files;
}

}  // namespace

TEST_CASE("SOURCES.tsv lists the imported schemas and says of each what the file says") {
  const Table sources = read_tsv(kSchemas / "SOURCES.tsv");
  std::set<std::string> listed;
  for (const auto& row : sources.rows) {
    const std::string& file = sources.at(row, "file");
    INFO(file);
    CHECK(listed.insert(file).second);
    REQUIRE(fs::exists(kSchemas / file));
    const SchemaFacts facts = facts_of(tree_of(read_file(kSchemas / file)), file);
    CHECK(facts.group == sources.at(row, "group"));
    CHECK(facts.version == sources.at(row, "api version"));
    CHECK((facts.kind.empty() ? "-" : facts.kind) == sources.at(row, "kind"));
    CHECK(facts.source == sources.at(row, "project") + " " + sources.at(row, "version") + " " +
                              sources.at(row, "path"));
    CHECK(sources.at(row, "sha256").size() == 64);
  }
  CHECK(listed == imported_files());
}

TEST_CASE("imported schemas carry no texts of their authors") {
  for (const std::string& file : imported_files()) {
    const std::string text = read_file(kSchemas / file);
    INFO(file);
    // A field may be called so; then its schema follows, not a text.
    for (const char* keyword : {"description", "title", "example", "externalDocs"}) {
      CHECK(text.find('"' + std::string(keyword) + "\": \"") == std::string::npos);
    }
  }
}

TEST_CASE("a published CRD among the user's schemas is imported as it is read") {
  PackBuilder builder;
  Sink sink;
  add_schema_file(builder, "crds/widget.yaml", tree_of(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.org
  names: {kind: Widget, plural: widgets}
  scope: Cluster
  versions:
  - {name: v1, served: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string}}}}}
)"),
                  sink);
  add_schema_file(builder, "core/v1/definitions.json",
                  tree_of("{$defs: {ObjectMeta: {type: object}}}"), sink);
  add_schema_file(builder, "g/v1/Kind.yaml", tree_of("{type: string}"), sink);
  const std::string image = builder.build(sink);
  REQUIRE_FALSE(sink.has_errors());
  const auto pack = SchemaPack::open(image);
  REQUIRE(pack);
  const SchemaKind* widget = pack->find("example.org/v1", "Widget");
  REQUIRE(widget != nullptr);
  CHECK(widget->namespaced == 0);
  CHECK(pack->text(widget->source) == "crds/widget.yaml");
  CHECK(pack->find("g/v1", "Kind") != nullptr);
}

TEST_CASE("a user's file that describes nothing is refused") {
  for (const auto& [path, text] : std::map<std::string, std::string>{{"a.json", "{type: object}"},
                                                                     {"g/a.json", "{type: object}"},
                                                                     {"g/v1/x/K.json", "{}"},
                                                                     {"g/v1/K.json", "[1]"}}) {
    INFO(path);
    PackBuilder builder;
    Sink sink;
    add_schema_file(builder, path, tree_of(text), sink);
    CHECK(sink.error_count() == 1);
  }
}
