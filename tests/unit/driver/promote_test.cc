// Values go from one spec to another, and nothing else changes.
#include "driver/fleet/promote.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace trainyard;

namespace {

std::string spec(const std::string& rest, const std::string& name = "llama") {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: " + name +
         "}\nspec:\n" + rest;
}

struct Bench {
  MemoryFileSystem disk;
  PromoteRequest request;
  std::string messages;

  Bench(const std::string& from, const std::string& to) {
    disk.files = {{"fleet.yaml",
                   "apiVersion: trainyard/v1alpha1\nkind: Fleet\nmetadata: {name: ml}\nspec:\n  "
                   "clusters: [{file: a.yaml, specs: [specs/a]}, {file: b.yaml, specs: "
                   "[specs/b]}]\n  teams: [{name: nlp, namespaces: [nlp], specs: ['specs/**']}]\n"},
                  {"a.yaml", cluster("a")},
                  {"b.yaml", cluster("b")},
                  {"specs/a/x.yaml", from},
                  {"specs/b/y.yaml", to}};
    request.job = "llama";
    request.from = "a";
    request.to = "b";
    request.write = true;
  }
  static std::string cluster(const std::string& name) {
    return "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: " + name +
           "}\nspec: {kubernetes: '1.34'}\n";
  }
  /// The spec of the second cluster afterwards.
  std::string promoted(std::vector<std::string> fields = {}) {
    request.fields = std::move(fields);
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    promote(session, request);
    messages.clear();
    for (const Diagnostic& each : session.sink.sorted()) messages += each.message + "\n";
    UNSCOPED_INFO(messages);
    return disk.files["specs/b/y.yaml"];
  }
  bool says(const std::string& part) const { return messages.find(part) != std::string::npos; }
};

}  // namespace

TEST_CASE("what both specs do not have as a single value is an error, and nothing changes") {
  const std::string to = spec("  image: x:1\n  resources: {cpu: 1}\n");
  Bench bench(spec("  image: x:2\n  env: {A: b}\n"), to);
  CHECK(bench.promoted({"image", "nodes"}) == to);
  CHECK(bench.says("has no `spec.nodes` of its own"));
  CHECK(bench.promoted({"image", "env"}) == to);
  CHECK(bench.promoted({"resources"}) == to);
  CHECK(bench.says("`spec.resources` is no single value"));
}

TEST_CASE("a job, a cluster or a second spec that is not there is named") {
  const std::string to = spec("  image: x:1\n");
  Bench bench(spec("  image: x:2\n", "other"), to);
  CHECK(bench.promoted() == to);
  CHECK(bench.says("no spec of the cluster `a` has the name `llama`"));
  bench.request.from = "c";
  CHECK(bench.promoted() == to);
  CHECK(bench.says("`--from`: the fleet has no cluster `c`; expected `a` or `b`"));
  bench.request.from = "b";
  CHECK(bench.promoted() == to);
  CHECK(bench.says("both clusters have this spec"));
}

TEST_CASE("only the characters of the value change") {
  Bench bench(spec("  image: 'x:2'\n"), spec("  nodes: 2  # all\n  image:   x:1   # staging\n"));
  CHECK(bench.promoted() == spec("  nodes: 2  # all\n  image:   'x:2'   # staging\n"));
}

TEST_CASE("values of several fields are copied at once, whatever their order") {
  Bench bench(spec("  image: x:22\n  env: {A: '10', B: c}\n"),
              spec("  env: {B: d, A: '1'}\n  image: x:1\n"));
  CHECK(bench.promoted({"image", "spec.env.A"}) == spec("  env: {B: d, A: '10'}\n  image: x:22\n"));
}

TEST_CASE("a value that cannot stand in the other place as it is written is an error") {
  const std::string to =
      "{apiVersion: trainyard/v1alpha1, kind: TrainingJob, metadata: {name: "
      "llama}, spec: {image: 'x:1', target: job}}\n";
  Bench bench(spec("  image: x:2, y\n"), to);
  CHECK(bench.promoted() == to);
  CHECK(bench.says("as they are written in the other spec"));
}

TEST_CASE("without `write` nothing is written") {
  const std::string to = spec("  image: x:1\n");
  Bench bench(spec("  image: x:2\n"), to);
  bench.request.write = false;
  CHECK(bench.promoted() == to);
  CHECK(bench.messages.empty());
}
