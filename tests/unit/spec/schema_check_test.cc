#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>

#include "everything.h"
#include "file_text.h"
#include "schema/pack_builder.h"
#include "schema/schema_check.h"
#include "schema/schema_file.h"
#include "support.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// Our own schemas and those of Kubernetes that they refer to, from the files of the repository.
class OwnSchemas {
 public:
  OwnSchemas() {
    PackBuilder builder;
    Sink sink;
    for (const auto& path : files_below("schemas", ".json")) {
      const bool core = path.parent_path().parent_path().filename() == "core";
      if (core || path.filename() == "definitions.json") add(builder, path, sink);
    }
    for (const auto& path : files_below("schemas/trainyard", ".yaml")) add(builder, path, sink);
    image_ = builder.build(sink);
    for (const Diagnostic& diagnostic : sink.all()) UNSCOPED_INFO(diagnostic.message);
    REQUIRE_FALSE(sink.has_errors());
    const auto pack = SchemaPack::open(image_);
    REQUIRE(pack.has_value());
    pack_ = *pack;
  }

  std::vector<Violation> check(const Document& document) const {
    const View root(document.tree(), document.root());
    const SchemaKind* kind = pack_.find(root["apiVersion"].text(), root["kind"].text());
    REQUIRE(kind != nullptr);
    return check_schema(pack_, kind->schema, document.tree(), document.root());
  }

 private:
  void add(PackBuilder& builder, const std::filesystem::path& path, Sink& sink) {
    const FileId file = sources_.add(path.string(), read_file(path));
    std::vector<Tree> trees = read_yaml(sources_, file, sink);
    REQUIRE(trees.size() == 1);
    const auto below = std::filesystem::relative(path, repository() / "schemas");
    add_schema_file(builder, below.generic_string(), std::move(trees.front()), sink);
  }

  SourceMap sources_;
  std::string image_;
  SchemaPack pack_;
};

const OwnSchemas& schemas() {
  static const OwnSchemas own;
  return own;
}

std::string paths(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    text += violation.path + ": " + violation.message + "\n";
  }
  return text;
}

/// The violations of a job with this spec beside its image.
std::vector<Violation> job(const std::string& spec) {
  const Document document(
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\nspec:\n  image: "
      "x\n" +
      spec);
  return schemas().check(document);
}

void refused(const std::string& spec, const std::string& path) {
  const auto violations = job(spec);
  INFO(spec << paths(violations));
  REQUIRE(violations.size() == 1);
  CHECK(violations.front().path == path);
}

void accepted(const std::string& spec) {
  INFO(spec);
  CHECK(paths(job(spec)) == "");
}

}  // namespace

TEST_CASE("examples and machine catalogues satisfy their schemas") {
  std::size_t checked = 0;
  for (const char* folder : {"examples", "templates/machines"}) {
    for (const auto& path : files_below(folder, ".yaml")) {
      const Document document(read_file(path));
      if (View(document.tree(), document.root())["apiVersion"].text() != "trainyard/v1alpha1")
        continue;
      INFO(path);
      CHECK(paths(schemas().check(document)) == "");
      ++checked;
    }
  }
  CHECK(checked >= 15);
}

TEST_CASE("misspelt fields are found at every depth") {
  refused("  gpusPernode: 8\n", "spec.gpusPernode");
  refused("  run: {script: a, arg: [b]}\n", "spec.run.arg");
  refused("  roles: {worker: {node: 2}}\n", "spec.roles.worker.node");
  refused("  roles: {worker: {gpu: {migs: a}}}\n", "spec.roles.worker.gpu.migs");
  refused("  storage: {d: {mountPath: /d, clame: c}}\n", "spec.storage.d.clame");
  refused("  pod: {spec: {hostIpc: true}}\n", "spec.pod.spec.hostIpc");
  refused("  placement: {tolerations: [{op: Exists}]}\n", "spec.placement.tolerations[0].op");
}

TEST_CASE("a partial pod template needs no containers") {
  accepted("  pod: {spec: {hostIPC: true}}\n");
  accepted("  pod: {spec: {containers: [{name: main, tty: true}]}}\n");
  accepted("  pod: {metadata: {annotations: {a: b}}}\n");
}

TEST_CASE("values of environment variables are strings or numbers") {
  accepted("  env: {A: '1', B: 2, C: text, D: 1.50, E: -0.1}\n");
  refused("  env: {A: true}\n", "spec.env.A");
  refused("  env: {A: {valueFrom: {}}}\n", "spec.env.A");
}

TEST_CASE("words, ranges and patterns are checked") {
  accepted("  lifecycle: {deadline: 1h30m, ttl: 90, gracePeriod: 0s}\n");
  refused("  lifecycle: {deadline: 5w}\n", "spec.lifecycle.deadline");
  refused("  lifecycle: {deadline: ''}\n", "spec.lifecycle.deadline");
  refused("  framework: torch\n", "spec.framework");
  refused("  nodes: 0\n", "spec.nodes");
  refused("  nodes: '4'\n", "spec.nodes");
  refused("  gpu: {fraction: 1}\n", "spec.gpu.fraction");
  accepted("  gpu: {fraction: 0.5}\n");
  accepted("  gpu: {mig: 1g.10gb+me}\n");
  refused("  gpu: {mig: 9g.80gb}\n", "spec.gpu.mig");
  refused("  resources: {memory: 5 GB}\n", "spec.resources.memory");
  accepted("  resources: {cpu: 500m, memory: 1.5Gi, extended: {example.com/a: 2}}\n");
  refused("  data: {inputs: [{uri: /data, path: /d}]}\n", "spec.data.inputs[0].uri");
}

TEST_CASE("what must be there is asked for, at the map that lacks it") {
  const auto lacks = [](const std::string& spec, const std::string& path, const std::string& name) {
    refused(spec, path);
    CHECK(paths(job(spec)).find("`" + name + "`") != std::string::npos);
  };
  lacks("  elastic: {minNodes: 2}\n", "spec.elastic", "maxNodes");
  lacks("  secretEnv: {TOKEN: {key: k}}\n", "spec.secretEnv.TOKEN", "name");
  lacks("  storage: {d: {claim: c}}\n", "spec.storage.d", "mountPath");
}

TEST_CASE("documents with something in every group satisfy their schemas") {
  CHECK(paths(schemas().check(Document(kEveryJobField))) == "");
  CHECK(paths(schemas().check(Document(kEveryClusterField))) == "");
}

TEST_CASE("entries with the same name are found") {
  Document document(
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n"
      "spec: {pools: [{name: p, machine: one}, {name: p, machine: two}]}\n");
  const auto violations = schemas().check(document);
  REQUIRE(violations.size() == 1);
  CHECK(violations.front().kind == DiagnosticKind::DuplicateItem);
}

TEST_CASE("versions are strings, so that 1.30 does not become 1.3") {
  Document document(
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n"
      "spec: {kubernetes: 1.30, operators: {kueue: 0.19, volcanoes: 1.9.0}}\n");
  const auto violations = schemas().check(document);
  REQUIRE(violations.size() == 3);
  CHECK(violations[0].path == "spec.kubernetes");
  CHECK(violations[1].path == "spec.operators.kueue");
  CHECK(violations[2].kind == DiagnosticKind::UnknownField);
}
