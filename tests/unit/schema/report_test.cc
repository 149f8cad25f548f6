#include <catch2/catch_test_macros.hpp>

#include "tree/yaml_reader.h"
#include "unit/schema/built_pack.h"

using namespace trainyard;
using trainyard::testing::BuiltPack;

namespace {

struct Reported {
  SourceMap sources;
  Sink sink;
  const Diagnostic& only() const {
    REQUIRE(sink.all().size() == 1);
    return sink.all()[0];
  }
  std::string_view marked() const { return sources.text(only().span); }
};

void report_on(Reported& out, std::string_view schema, std::string_view yaml,
               std::string_view source = "") {
  const BuiltPack pack(schema);
  const FileId file = out.sources.add("in.yaml", std::string(yaml));
  const std::vector<Tree> trees = read_yaml(out.sources, file, out.sink, {}, Ambiguity::Kubernetes);
  REQUIRE(trees.size() == 1);
  report(check_schema(pack.pack(), pack.id(), trees[0], trees[0].root()), trees[0], source,
         out.sink);
}

}  // namespace

TEST_CASE("a misspelt field marks the key and comes with a fix and the schema's source") {
  Reported out;
  report_on(out, "{type: object, properties: {image: {type: string}}}", "imgae: a\n",
            "kubernetes-sigs/jobset v0.12.0 config/x.yaml");
  CHECK(out.only().kind == DiagnosticKind::UnknownField);
  CHECK(out.marked() == "imgae");
  CHECK(out.only().path == "imgae");
  REQUIRE(out.only().fixes.size() == 1);
  CHECK(out.only().fixes[0].replacement == "image");
  CHECK(out.only().notes ==
        std::vector<std::string>{
            "wanted by the schema of kubernetes-sigs/jobset v0.12.0 config/x.yaml"});
}

TEST_CASE("a value of the wrong type marks the value, quotes and all") {
  Reported out;
  report_on(out, "{type: object, properties: {nodes: {type: integer}}}", "nodes: \"8\"\n");
  CHECK(out.marked() == "\"8\"");
  REQUIRE(out.only().fixes.size() == 1);
  CHECK(out.only().fixes[0].replacement == "8");
  CHECK(out.only().notes.empty());
}

TEST_CASE("a second item with the same key points at the first") {
  Reported out;
  report_on(out,
            R"({type: object, properties: {l: {type: array, x-kubernetes-list-type: map,
                x-kubernetes-list-map-keys: [name],
                items: {type: object, properties: {name: {type: string}}}}}})",
            "l:\n- name: a\n- name: a\n");
  REQUIRE(out.only().labels.size() == 1);
  CHECK(out.only().labels[0].span.begin < out.only().span.begin);
}

TEST_CASE("what the server lets through is a warning and no error") {
  Reported out;
  report_on(out, "{type: object, properties: {a: {type: string}}}", "a:\n");
  CHECK(out.only().severity == Severity::Warning);
  CHECK_FALSE(out.sink.has_errors());
}
