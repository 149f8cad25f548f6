// Layers of a TrainingJob, merged by its schema.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "file_text.h"
#include "spec/layers.h"
#include "tree/yaml_writer.h"
#include "unit/spec/support.h"

using namespace trainyard;
using trainyard::testing::read_file;

namespace {

/// Layers, each given by its text and by the layers that it stands above; the last is the document.
struct Case {
  SourceMap sources;
  std::vector<Tree> trees;
  std::vector<Layer> layers;
  SpecPlaces places;
  Sink sink;
  Tree tree;

  explicit Case(const std::vector<std::pair<std::string, std::vector<std::size_t>>>& texts) {
    trees.reserve(texts.size());
    for (const auto& [text, below] : texts) {
      const FileId file = sources.add(std::to_string(trees.size()) + ".yaml", text);
      trees.push_back(std::move(read_yaml(sources, file, sink).front()));
      layers.push_back({&trees.back(), below});
    }
    const SchemaPack& pack = SchemaPack::builtin();
    const SchemaKind* kind = pack.find("trainyard/v1alpha1", "TrainingJob");
    tree = merge_layers(pack, kind->schema, layers, layers.size() - 1, places, sink);
    places.finish();
  }

  std::string text() const {
    std::string out;
    write_yaml(tree, tree.root(), out);
    return out;
  }
  View spec() const { return View(tree, tree.root())["spec"]; }
  /// `file:offset` of what an origin is and of what led to it.
  std::vector<std::string> story(View value) const {
    Origins origins;
    const OriginId id = places.origin(origins, value->span);
    std::vector<std::string> result;
    for (OriginId input : origins.inputs(id)) {
      const Span span = origins[input].span;
      result.push_back(std::string(sources.name(span.file)) + " " +
                       std::string(sources.text(span)));
    }
    return result;
  }
};

Case over(const std::string& base, const std::string& top) {
  return Case({{base, {}}, {top, {0}}});
}

}  // namespace

TEST_CASE("a list of several layers is merged as its schema says") {
  const Case lists = over(R"(spec:
  imagePullSecrets: [{name: a}, {name: b}]
  run: {args: [1, 2]}
  runai: {nodePools: [p, q]}
  network: {ports: [{containerPort: 80, name: web}, {containerPort: 80, protocol: UDP}]}
)",
                          R"(spec:
  imagePullSecrets: [{name: b}, {name: c}]
  run: {args: [3]}
  runai: {nodePools: [q, r]}
  network: {ports: [{containerPort: 80, protocol: TCP, name: http}]}
)");
  CHECK(lists.sink.all().empty());
  CHECK(lists.text() == R"(spec:
  imagePullSecrets:
  - name: a
  - name: b
  - name: c
  run:
    args:
    - 3
  runai:
    nodePools:
    - p
    - q
    - r
  network:
    ports:
    - containerPort: 80
      name: http
      protocol: TCP
    - containerPort: 80
      protocol: UDP
)");
}

TEST_CASE("null takes away what is below, and stays below `pod`") {
  const Case nulls =
      over("spec: {env: {A: one, B: two}, lifecycle: {retries: 1}, pod: {spec: {a: 1}}}",
           "spec: {env: {A: null}, lifecycle: null, pod: {spec: {a: null}}}");
  CHECK(nulls.text() == "spec:\n  env:\n    B: two\n  pod:\n    spec:\n      a: null\n");
}

TEST_CASE("apiVersion and kind are those of the document, and extends is left out") {
  const Case top = over("{apiVersion: base, kind: Base, extends: x.yaml, spec: {nodes: 1}}",
                        "{kind: Top, extends: y.yaml}");
  CHECK(top.text() == "kind: Top\nspec:\n  nodes: 1\n");
}

TEST_CASE("a value knows what it replaced, the nearest layer first") {
  const Case three(
      {{"spec: {nodes: 1}", {}}, {"spec: {nodes: 2}", {0}}, {"spec: {nodes: 3}", {0, 1}}});
  CHECK(three.spec()["nodes"].text() == "3");
  CHECK(three.story(three.spec()["nodes"]) == std::vector<std::string>{"1.yaml 2", "0.yaml 1"});
}

TEST_CASE("layers side by side must agree, unless one above both decides") {
  const std::string a = "spec: {nodes: 1, env: {A: x}, gpusPerNode: 8, run: {args: [1]}}";
  const std::string b = "spec: {nodes: 2, env: {A: null}, gpusPerNode: 8, run: {args: [2]}}";
  const Case torn({{a, {}}, {b, {}}, {"spec: {run: {args: [3]}}", {0, 1}}});
  REQUIRE(torn.sink.all().size() == 2);
  const Diagnostic& nodes = torn.sink.all()[0];
  CHECK(nodes.kind == DiagnosticKind::LayerConflict);
  CHECK(nodes.path == "spec.nodes");
  CHECK(torn.sources.text(nodes.span) == "2");
  CHECK(torn.sources.text(nodes.labels.at(0).span) == "1");
  CHECK(torn.sink.all()[1].path == "spec.env.A");
  CHECK(torn.spec()["run"]["args"]);

  const Case whole({{a, {}}, {b, {0}}, {"spec: {}", {0, 1}}});
  CHECK(whole.sink.all().empty());
  CHECK(whole.spec()["nodes"].text() == "2");
}

TEST_CASE("what one layer takes from below does not contradict what stands above that") {
  // 0 is below 1 and 2, which stand side by side; only 1 has changed it.
  const Case diamond({{"spec: {nodes: 1}", {}},
                      {"spec: {nodes: 2}", {0}},
                      {"spec: {gpusPerNode: 8}", {0}},
                      {"spec: {}", {0, 1, 2}}});
  CHECK(diamond.sink.all().empty());
  CHECK(diamond.spec()["nodes"].text() == "2");
}

TEST_CASE("a scalar and a map of two layers side by side are a conflict, and one above replaces") {
  const Case torn({{"spec: {nodes: {a: 1}}", {}}, {"spec: {nodes: 2}", {}}, {"spec: {}", {0, 1}}});
  CHECK(torn.sink.error_count() == 1);
  CHECK(over("spec: {nodes: {a: 1}}", "spec: {nodes: 2}").text() == "spec:\n  nodes: 2\n");
}
