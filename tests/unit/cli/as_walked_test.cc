// `validate --as-walked`: named files as a walk takes them, for hooks that name what has changed.

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kSettings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
const std::string kWrong = kSettings + "dta: {}\n";

struct Repository {
  Caller call;

  std::string& operator[](const std::string& path) { return call.files.files[path]; }
  /// The findings about the files; "" when they are good.
  std::string faults(std::vector<std::string> paths) {
    paths.insert(paths.begin(), {"validate", "--as-walked"});
    const Called called = call(std::move(paths));
    return called.code == ExitCode::Good ? "" : called.err;
  }
};

}  // namespace

TEST_CASE("a known kind is checked wherever it is named") {
  Repository repository;
  for (const char* path : {"a.yaml", "values.yaml", "deploy/mkdocs.yml", "chart/crds/a.yaml",
                           "chart/more/a.yaml", "overlay/a.yaml"}) {
    repository[path] = kWrong;
  }
  repository["chart/Chart.yaml"] = "apiVersion: v2\nname: a\nversion: 0.1.0\n";
  repository["overlay/kustomization.yaml"] = "resources: [a.yaml]\n";
  for (const auto& [path, text] : repository.call.files.files) {
    INFO(path);
    if (text == kWrong) CHECK(contains(repository.faults({path}), path + ":4:1: error"));
  }
}

TEST_CASE("what a chart or a kustomization above has for itself is ignored") {
  Repository repository;
  repository["charts/app/Chart.yaml"] = "apiVersion: v2\nname: a\nversion: 0.1.0\n";
  repository["charts/app/values-dev.yaml"] = "metadata: {}\nspec: {}\n";
  repository["charts/app/templates/deep/a.yaml"] = "{{ if .Values.a }}\nkind: Job\n{{ end }}\n";
  repository["overlay/kustomization.yml"] =
      "patches: [{path: ./patches/a.yaml}]\npatchesStrategicMerge: [b.yaml]\n";
  repository["overlay/patches/a.yaml"] = kWrong;
  repository["overlay/b.yaml"] = kWrong;
  repository["overlay/c.yaml"] = kWrong;
  for (const char* path : {"charts/app/values-dev.yaml", "charts/app/templates/deep/a.yaml",
                           "./overlay/patches/a.yaml", "overlay/b.yaml"}) {
    INFO(path);
    CHECK(repository.faults({path}).empty());
    CHECK(repository.call({"validate", path}).code == ExitCode::InputWrong);
  }
  CHECK(contains(repository.faults({"overlay/b.yaml", "overlay/c.yaml"}), "overlay/c.yaml:4:1"));
}

TEST_CASE("YAML of other programs is ignored, however strange it is") {
  Repository repository;
  repository["docker-compose.yml"] = "services: {web: {image: a}}\n";
  repository["patch.yaml"] = "- {op: remove, path: /spec/kind}\n";
  repository["mkdocs.yml"] = "a: !!python/name:b.c\nb: !ENV [A, 1]\nnav:\n- kind: kind.md\n";
  repository["jinja.yaml"] = "{% for a in b %}\nkey: {{ a }}\n{% endfor %}\n";
  repository["tabs.yaml"] = "a:\n\tb: 1\n";
  repository[".github/workflows/ci.yaml"] = kWrong;
  repository["notes.txt"] = kWrong;
  repository["values.yaml"] = "metadata: {a: 1}\n";
  std::vector<std::string> all = {"--strict"};
  for (const auto& [path, text] : repository.call.files.files) all.push_back(path);
  CHECK(repository.faults(all).empty());
}

TEST_CASE("a broken file that may be a manifest is an error") {
  Repository repository;
  repository["a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: [\n";
  repository["b.yaml"] = "{\"kind\": \"Job\"\n";
  repository["c.yaml"] = "'kind' : Job\n\tb: 1\n";
  repository["d.yaml"] = "--- {apiVersion: v1\n";
  repository["e.yaml"] = "<<<<<<< HEAD\nservices: {}\n=======\n>>>>>>> b\n";
  for (const auto& [path, text] : repository.call.files.files) {
    INFO(path);
    CHECK(contains(repository.faults({path}), path + ":"));
  }
}

TEST_CASE("charts and kustomizations above the repository do not count") {
  Repository repository;
  repository["/home/Chart.yaml"] = "apiVersion: v2\nname: a\nversion: 0.1.0\n";
  repository["/home/kustomization.yaml"] = "patches: [{path: repo/a.yaml}]\n";
  repository["/home/templates/repo/.git/HEAD"] = "";
  repository["/home/templates/repo/a.yaml"] = kWrong;
  CHECK(contains(repository.faults({"/home/templates/repo/a.yaml"}), "a.yaml:4:1: error"));
}
