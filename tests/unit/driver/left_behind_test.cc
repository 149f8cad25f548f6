// What a job leaves in the cluster is found again, and two jobs never share an object that they
// want different.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>

#include "file_text.h"
#include "folders.h"
#include "golden_cases.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace fs = std::filesystem;

namespace {

bool is_found(View labels) {
  return string_at(labels, "app.kubernetes.io/managed-by") == "trainyard" &&
         !string_at(labels, "app.kubernetes.io/instance").empty();
}

/// Pod templates below a node whose pods lack the labels of the job.
std::size_t lost_pods(View node) {
  if (!node || (!node->is_map() && !node->is_seq())) return 0;
  if (node->is_map() && get(get(node, "spec"), "containers")) {
    return is_found(get(get(node, "metadata"), "labels")) ? 0 : 1;
  }
  std::size_t lost = 0;
  for (View each : Items(node)) lost += lost_pods(each);
  return lost;
}

/// The name of the runtime that is made for a TrainJob.
std::string runtime_of(const std::string& more, const std::string& image = "i:1") {
  const std::string spec =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: train}\nspec:\n"
      "  target: trainjob\n  run: {script: train.py}\n  image: " +
      image + "\n" + more;
  const Built built = build_files({{"job.yaml", spec}}, {"job.yaml"});
  CHECK(built.errors == 0);
  const std::size_t kind = built.text.find("kind: TrainingRuntime\n");
  REQUIRE(kind != std::string::npos);
  const std::size_t name = built.text.find("\n  name: ", kind) + 9;
  return built.text.substr(name, built.text.find('\n', name) - name);
}

}  // namespace

TEST_CASE("every object and every pod of a job carries the labels by which they are found") {
  std::size_t objects = 0;
  std::string lost;
  for (const GoldenCase& each : golden_cases(repository() / "golden")) {
    const std::string& name = each.name;
    const std::string args = each.only_command();
    const bool builds =
        args == "build spec.yaml" || args == "build spec.yaml --cluster cluster.yaml";
    if (!builds || each.fails()) continue;
    SourceMap sources;
    Sink sink;
    for (const Tree& tree :
         read_yaml(sources, sources.add(name, read_file_if_any(each.path / "stdout")), sink)) {
      const View root(tree, tree.root());
      ++objects;
      if (!is_found(get(get(root, "metadata"), "labels"))) {
        lost += name + ": " + std::string(string_at(root, "kind")) + "\n";
      }
      if (lost_pods(root) > 0)
        lost += name + ": pods of " + std::string(string_at(root, "kind")) + "\n";
    }
  }
  CHECK(objects > 500);
  CHECK(lost == "");
}

TEST_CASE("a runtime is another one for each thing that makes its jobs differ") {
  std::map<std::string, std::string> seen;
  const std::string plain = runtime_of("  gpusPerNode: 1\n");
  CHECK(runtime_of("  gpusPerNode: 1\n") == plain);
  seen[plain] = "plain";
  const auto differs = [&](const std::string& what, const std::string& name) {
    INFO(what << " and " << seen[name]);
    CHECK(seen[name].empty());
    seen[name] = what;
  };
  differs("image", runtime_of("  gpusPerNode: 1\n", "i:2"));
  differs("GPUs", runtime_of("  gpusPerNode: 2\n"));
  differs("nodes", runtime_of("  gpusPerNode: 1\n  nodes: 2\n"));
  differs("user", runtime_of("  gpusPerNode: 1\n  security: {runAsUser: 1000}\n"));
  differs("variable", runtime_of("  gpusPerNode: 1\n  env: {A: b}\n"));
  differs("variable, cut elsewhere", runtime_of("  gpusPerNode: 1\n  env: {Ab: ''}\n"));
  differs("memory", runtime_of("  gpusPerNode: 1\n  resources: {memory: 8Gi}\n"));
  differs("claim", runtime_of("  gpusPerNode: 1\n  storage: {d: {claim: c, mountPath: /d}}\n"));
  differs("mount", runtime_of("  gpusPerNode: 1\n  storage: {d: {claim: c, mountPath: /e}}\n"));
}
