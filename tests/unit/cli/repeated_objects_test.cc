// One object in two files: a finding where the files are surely applied together, and only there.

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

std::string settings(const std::string& mode = "fast") {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {mode: " + mode +
         "}\n";
}

struct Repository {
  Caller call;

  std::string& operator[](const std::string& path) { return call.files.files[path]; }
  /// The places of objects that stand twice, "path:line ...".
  std::string repeats(std::vector<std::string> arguments = {"."}) {
    arguments.insert(arguments.begin(), "validate");
    const std::string said = call(std::move(arguments)).err;
    std::string result;
    for (std::size_t at = said.find("stands in another file"); at != said.npos;
         at = said.find("stands in another file", at + 1)) {
      const std::size_t line = said.rfind('\n', at) + 1;
      result += said.substr(line, said.find(": ", line) - line) + " ";
    }
    return result;
  }
};

/// What a build has written, with this object.
std::string built(Repository& repository, const std::string& as) {
  repository["spec.yaml"] = kSpec;
  CHECK(repository.call({"build", "spec.yaml", "-o", "made"}).code == ExitCode::Good);
  std::string text = repository["made/llama.yaml"];
  for (const char* path : {"spec.yaml", "made/llama.yaml", "made/kustomization.yaml"}) {
    repository.call.files.files.erase(path);
  }
  repository[as] = text;
  return text;
}

}  // namespace

TEST_CASE("an object that stands in two files of a kustomization is found") {
  Repository repository;
  repository["base/a.yaml"] = settings();
  repository["base/b.yaml"] =
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: "
      "ConfigMap, metadata: {name: settings}}\n";
  repository["base/c.yaml"] = settings();
  repository["base/kustomization.yaml"] = "resources: [a.yaml, ./b.yaml, c.yaml]\n";
  CHECK(repository.repeats() == "./base/b.yaml:4:54 ./base/c.yaml:3:18 ");
  CHECK(repository.repeats({"--jobs", "4", "."}) == "./base/b.yaml:4:54 ./base/c.yaml:3:18 ");
  CHECK(repository.repeats({"--as-walked", "base/c.yaml", "base/a.yaml"}) == "base/a.yaml:3:18 ");
}

TEST_CASE("the check that finds objects twice can be turned off for one of them") {
  Repository repository;
  repository["a.yaml"] = settings();
  repository["b.yaml"] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"
      "  annotations: {trainyard/checks: object-twice=off}\n";
  repository["kustomization.yaml"] = "resources: [a.yaml, b.yaml]\n";
  CHECK(repository.repeats().empty());
}

TEST_CASE("what only looks like the same object in two files is no finding") {
  Repository repository;
  SECTION("bases and overlays") {
    repository["base/a.yaml"] = settings();
    repository["base/kustomization.yaml"] = "resources: [a.yaml]\n";
    for (const char* overlay : {"dev", "prod"}) {
      const std::string folder = "overlays/" + std::string(overlay) + "/";
      repository[folder + "a.yaml"] = settings("slow");
      repository[folder + "kustomization.yaml"] =
          "resources: [../../base]\npatches: [{path: a.yaml}]\n";
    }
  }
  SECTION("a file that the kustomization beside it does not list") {
    repository["a.yaml"] = settings();
    repository["a-old.yaml"] = settings("slow");
    repository["kustomization.yaml"] = "resources: [a.yaml]\n";
  }
  SECTION("clusters and examples") {
    repository["clusters/east/a.yaml"] = settings();
    repository["clusters/west/a.yaml"] = settings("slow");
    repository["examples/one.yaml"] = settings();
    repository["examples/two.yaml"] = settings("slow");
  }
  SECTION("objects of other namespaces and kinds") {
    repository["a.yaml"] = settings();
    repository["b.yaml"] =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: nlp}\n";
    repository["c.yaml"] = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: settings}\n";
    repository["kustomization.yaml"] = "resources: [a.yaml, b.yaml, c.yaml]\n";
  }
  SECTION("one file in two kustomizations, or twice among the inputs") {
    repository["a.yaml"] = settings();
    repository["kustomization.yaml"] = "resources: [a.yaml]\n";
    repository["all/kustomization.yaml"] = "resources: [../a.yaml]\n";
    CHECK(repository.repeats({".", "a.yaml"}).empty());
  }
  SECTION("the object that an input is to replace") {
    repository["a.yaml"] = settings();
    repository["old/a.yaml"] = settings("slow");
    repository["kustomization.yaml"] = "resources: [a.yaml]\n";
    CHECK(repository.repeats({"a.yaml", "--old", "old/a.yaml"}).empty());
  }
  CHECK(repository.repeats().empty());
}

TEST_CASE("files of one directory of built files are applied together, unless a list says not") {
  Repository repository;
  const std::string text = built(repository, "deploy/llama.yaml");
  repository["deploy/nlp.llama.yaml"] = text;
  CHECK(repository.repeats() == "./deploy/nlp.llama.yaml:8:9 ./deploy/nlp.llama.yaml:27:9 ");
  repository["elsewhere/llama.yaml"] = text;
  CHECK(repository.repeats() == "./deploy/nlp.llama.yaml:8:9 ./deploy/nlp.llama.yaml:27:9 ");
  repository["deploy/kustomization.yaml"] = "resources: [llama.yaml]\n";
  CHECK(repository.repeats().empty());
}
