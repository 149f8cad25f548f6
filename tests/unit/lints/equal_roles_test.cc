// Roles with the same template are looked at once where there is nothing to say: what is wrong in
// one of them, or in both, is reported all the same.

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "check/check.h"
#include "driver/session/all_checks.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

std::string role(const std::string& name, const std::string& mount) {
  return "    " + name + R"(:
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/train:1.0
            volumeMounts:
            - {name: )" +
         mount + R"(, mountPath: /data}
          volumes:
          - {name: data, emptyDir: {}}
)";
}

/// The lines at which a mount without its volume is reported.
std::vector<std::string> paths(const std::string& roles) {
  const std::string text =
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n"
      "  pytorchReplicaSpecs:\n" +
      roles;
  SourceMap sources;
  Sink sink;
  const std::vector<Tree> trees = read_yaml(sources, sources.add("job.yaml", text), sink, {});
  REQUIRE(trees.size() == 1);
  CheckInputs surroundings{};
  surroundings.checks = all_checks();
  CheckContext context(surroundings, sink);
  run_checks(View(trees[0], trees[0].root()), {}, {}, context);
  std::vector<std::string> found;
  for (const Diagnostic& each : sink.all()) {
    if (each.message.find("`nothing`") != std::string::npos) found.push_back(each.path);
  }
  return found;
}

std::string place(const std::string& name) {
  return "spec.pytorchReplicaSpecs." + name + ".template.spec.containers[0].volumeMounts[0].name";
}

}  // namespace

TEST_CASE("equal roles without a fault have none") {
  CHECK(paths(role("Master", "data") + role("Worker", "data")).empty());
}

TEST_CASE("a fault of equal roles is reported for each of them") {
  const std::vector<std::string> both{place("Master"), place("Worker")};
  CHECK(paths(role("Master", "nothing") + role("Worker", "nothing")) == both);
}

TEST_CASE("a fault of one role is reported, whichever it is") {
  CHECK(paths(role("Master", "data") + role("Worker", "nothing")) ==
        std::vector<std::string>{place("Worker")});
  CHECK(paths(role("Master", "nothing") + role("Worker", "data")) ==
        std::vector<std::string>{place("Master")});
  CHECK(paths(role("Master", "data") + role("Evaluator", "nothing") + role("Worker", "data")) ==
        std::vector<std::string>{place("Evaluator")});
}
