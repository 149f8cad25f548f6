#include "driver/fleet/git_attributes.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

namespace {

struct Bench {
  MemoryFileSystem disk;
  std::string messages;

  explicit Bench(const std::string& rendered = "") {
    disk.files["fleet.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Fleet\nmetadata: {name: ml}\nspec:\n" + rendered +
        "  clusters: [{file: c.yaml, specs: [specs]}]\n"
        "  teams: [{name: nlp, namespaces: [nlp], specs: [specs]}]\n";
    disk.files["c.yaml"] = "kind: Cluster\n";
    disk.files["specs/a.yaml"] = "kind: TrainingJob\n";
  }
  bool run() {
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    const GitAttributes result = add_git_attributes(session, "fleet.yaml");
    messages.clear();
    for (const Diagnostic& each : session.sink.sorted()) messages += each.message + "\n";
    return result.written;
  }
  std::string text() { return disk.files[".gitattributes"]; }
};

constexpr const char* kLine = "rendered/** linguist-generated=true merge=trainyard\n";

}  // namespace

TEST_CASE("a wrong fleet gets no attributes") {
  Bench bench;
  bench.disk.files.erase("c.yaml");
  CHECK_FALSE(bench.run());
  CHECK(bench.messages.find("`c.yaml`") != std::string::npos);
  CHECK_FALSE(bench.disk.files.contains(".gitattributes"));
}

TEST_CASE("the line about the tree comes once, behind what is there") {
  Bench bench;
  CHECK(bench.run());
  CHECK(bench.text() == kLine);
  CHECK_FALSE(bench.run());
  CHECK(bench.text() == kLine);
  bench.disk.files[".gitattributes"] = "*.bin binary";
  CHECK(bench.run());
  CHECK(bench.text() == std::string("*.bin binary\n") + kLine);
}

TEST_CASE("attributes that the user has chosen stay, and those of another folder do not count") {
  Bench bench;
  bench.disk.files[".gitattributes"] = "  rendered/**\t-diff\n";
  CHECK_FALSE(bench.run());
  bench.disk.files[".gitattributes"] =
      "rendered/**.md text\n# rendered/** x\nx/rendered/** -diff\n";
  CHECK(bench.run());
}

TEST_CASE("a folder with a space stands in quotes") {
  Bench bench("  rendered: out put/k8s\n");
  CHECK(bench.run());
  CHECK(bench.text() == "\"out put/k8s/**\" linguist-generated=true merge=trainyard\n");
}
