// Which specs of a fleet go when their jobs have ended, and which stay.
#include "driver/fleet/retire.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/fleet/render_fleet.h"

using namespace trainyard;

namespace {

std::string spec(const std::string& name, const std::string& more = "") {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: " + name +
         ", namespace: nlp}\nspec:\n  image: registry.example.com/t:1\n  run: {command: "
         "[./train]}\n" +
         more;
}

std::string job(const std::string& name, const std::string& status) {
  return "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
         ", namespace: nlp}\nstatus: {" + status + "}\n";
}
const std::string kDone = "conditions: [{type: Complete, status: 'True'}]";
const std::string kFailed = "conditions: [{type: Failed, status: 'True'}]";

struct Bench {
  MemoryFileSystem disk;
  RetireRequest request;
  std::string messages;
  std::string told;

  Bench() {
    disk.files["f/fleet.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Fleet\nmetadata: {name: ml}\nspec:\n  clusters: "
        "[{file: gke.yaml, specs: [specs]}]\n  teams: [{name: nlp, namespaces: [nlp], specs: "
        "['specs/**']}]\n";
    disk.files["f/gke.yaml"] = cluster("gke");
    disk.files["f/specs/a/llama.yaml"] = spec("llama");
    disk.files["f/specs/bert.yaml"] = spec("bert");
    request.fleet = "f/fleet.yaml";
    request.live = {"dump.yaml"};
  }
  static std::string cluster(const std::string& name) {
    return "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: " + name +
           "}\nspec: {kubernetes: '1.34'}\n";
  }
  void render() {
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    RenderRequest render;
    render.fleet = "f/fleet.yaml";
    render_fleet(session, render);
    REQUIRE(!session.sink.has_errors());
  }
  /// `from -> to` of the specs that go, in lines.
  std::string retired(const std::string& dump) {
    disk.files["dump.yaml"] = dump;
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    const RetireResult result = retire(session, request);
    messages.clear();
    for (const Diagnostic& each : session.sink.sorted()) {
      if (each.severity == Severity::Error) messages += each.message + "\n";
    }
    told.clear();
    for (const std::string& each : result.told) told += each + "\n";
    std::string text;
    for (const RetiredSpec& each : result.specs) text += each.from + " -> " + each.to + "\n";
    UNSCOPED_INFO(messages << told);
    return text;
  }
  bool says(const std::string& part) const {
    return (messages + told).find(part) != std::string::npos;
  }
};

}  // namespace

TEST_CASE("a tree that is not up to date retires nothing") {
  Bench bench;
  bench.request.write = true;
  bench.render();
  bench.disk.files["f/specs/a/llama.yaml"] = spec("llama", "  env: {A: b}\n");
  const auto before = bench.disk.files;
  CHECK(bench.retired(job("llama", kDone)).empty());
  CHECK(bench.says("is not that of the fleet"));
  CHECK(bench.disk.files.contains("f/specs/a/llama.yaml"));
  CHECK(bench.disk.files.at("f/specs/a/llama.yaml") == before.at("f/specs/a/llama.yaml"));
}

TEST_CASE("a spec goes when its job has succeeded, and stays as deep as it was") {
  Bench bench;
  bench.render();
  CHECK(bench.retired(job("llama", kDone) + job("bert", "active: 1")) ==
        "f/specs/a/llama.yaml -> f/specs-done/a/llama.yaml\n");
  CHECK(bench.disk.files.contains("f/specs/a/llama.yaml"));
  bench.request.write = true;
  bench.retired(job("llama", kDone));
  CHECK_FALSE(bench.disk.files.contains("f/specs/a/llama.yaml"));
  CHECK(bench.disk.files.at("f/specs-done/a/llama.yaml") == spec("llama"));
}

TEST_CASE("a spec stays whose job runs, is not there, or has failed") {
  Bench bench;
  bench.render();
  CHECK(bench.retired(job("llama", "active: 1, ready: 1")).empty());
  CHECK(bench.retired(job("other", kDone)).empty());
  CHECK(bench.retired(job("llama", kFailed)).empty());
  bench.request.failed = true;
  CHECK(bench.retired(job("llama", kFailed)) ==
        "f/specs/a/llama.yaml -> f/specs-done/a/llama.yaml\n");
}

TEST_CASE("a spec of several jobs stays until all have ended") {
  Bench bench;
  bench.disk.files["f/specs/a/llama.yaml"] = spec("llama") + "---\n" + spec("dino");
  bench.render();
  CHECK(bench.retired(job("llama", kDone) + job("dino", "active: 1")).empty());
  CHECK(bench.says("kept f/specs/a/llama.yaml: Job/llama has succeeded, and Job/dino is "));
  CHECK_FALSE(bench.retired(job("llama", kDone) + job("dino", kDone)).empty());
}

TEST_CASE("a spec that another cluster has as well stays, and the dump's cluster must be named") {
  Bench bench;
  bench.disk.files["f/aws.yaml"] = Bench::cluster("aws");
  std::string& fleet = bench.disk.files["f/fleet.yaml"];
  fleet.replace(fleet.find("{file: gke"), 0, "{file: aws.yaml, specs: [specs/a]}, ");
  bench.render();
  CHECK(bench.retired(job("llama", kDone)).empty());
  CHECK(bench.says("say `--cluster`"));
  bench.request.cluster = "gke";
  CHECK(bench.retired(job("llama", kDone) + job("bert", kDone)) ==
        "f/specs/bert.yaml -> f/specs-done/bert.yaml\n");
  CHECK(bench.says("cluster `aws` has it, too"));
}

TEST_CASE("a spec never replaces a file, and never moves to where it is a spec again") {
  Bench bench;
  bench.render();
  bench.disk.files["f/specs-done/a/llama.yaml"] = "a: b\n";
  CHECK(bench.retired(job("llama", kDone)).empty());
  CHECK(bench.says("already exists"));
  for (const char* to : {"specs/done", "..", "/tmp"}) {
    bench.request.to = to;
    CHECK(bench.retired(job("llama", kDone)).empty());
    CHECK(bench.says("expected another folder"));
  }
}

TEST_CASE("a team that loses its last spec is reported") {
  Bench bench;
  bench.render();
  bench.retired(job("llama", kDone) + job("bert", kDone));
  CHECK(bench.says("the team `nlp` has no spec left"));
}

TEST_CASE("a spec stays until its job has ended long enough ago") {
  Bench bench;
  bench.render();
  const std::string ended =
      "conditions: [{type: Complete, status: 'True', lastTransitionTime: '2026-11-20T10:00:00Z'}]";
  bench.request.older_than = Seconds{3600};
  bench.request.now = "2026-11-20T11:00:01Z";
  CHECK(bench.retired(job("llama", ended)) ==
        "f/specs/a/llama.yaml -> f/specs-done/a/llama.yaml\n");
  bench.request.now = "2026-11-20T11:00:00Z";
  CHECK(bench.retired(job("llama", ended)).empty());
  CHECK(
      bench.says("kept f/specs/a/llama.yaml: Job/llama has succeeded at 2026-11-20T10:00:00Z, "
                 "which is too recent"));
  CHECK(bench.retired(job("llama", kDone)).empty());
  CHECK(bench.says("Job/llama has succeeded, and its status does not say when"));
  // The time of a job that has not ended is of no matter.
  CHECK(bench.retired(job("llama", "active: 1, ready: 1")).empty());
  CHECK_FALSE(bench.says("llama"));
}

TEST_CASE("the end of a job without a condition for it is that of its status") {
  Bench bench;
  bench.disk.files["f/specs/a/llama.yaml"] = spec("llama", "  target: rayjob\n  framework: ray\n");
  bench.render();
  const std::string dump =
      "---\napiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: llama, namespace: nlp}\n"
      "status: {jobStatus: SUCCEEDED, jobDeploymentStatus: Complete, endTime: "
      "'2026-11-20T10:00:00Z'}\n";
  bench.request.older_than = Seconds{3600};
  bench.request.now = "2026-11-21T00:00:00Z";
  CHECK_FALSE(bench.retired(dump).empty());
  bench.request.now = "2026-11-20T00:00:00Z";
  CHECK(bench.retired(dump).empty());
}

TEST_CASE("a spec of a chain stays as long as the fleet has the chain") {
  Bench bench;
  bench.disk.files["f/gke.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: gke}\nspec: {kubernetes: "
      "'1.34', gitops: {tool: flux}}\n";
  bench.disk.files["f/specs/a/llama.yaml"] = spec("llama", "  rerun: never\n");
  bench.disk.files["f/specs/bert.yaml"] = spec("bert", "  rerun: never\n");
  const std::string without = bench.disk.files["f/fleet.yaml"];
  std::string& fleet = bench.disk.files["f/fleet.yaml"];
  fleet.insert(fleet.rfind("}]"), ", chains: [{name: night, steps: [llama, bert]}]");
  bench.render();
  CHECK(bench.retired(job("llama", kDone) + job("bert", kDone)).empty());
  CHECK(
      bench.says("kept f/specs/a/llama.yaml: Job/llama has succeeded, and is a step of a chain "
                 "of `f/fleet.yaml`"));
  fleet = without;
  bench.render();
  CHECK(bench.retired(job("llama", kDone) + job("bert", kDone)) ==
        "f/specs/a/llama.yaml -> f/specs-done/a/llama.yaml\n"
        "f/specs/bert.yaml -> f/specs-done/bert.yaml\n");
}

TEST_CASE("ages count from the newest time in the dump, which may lie in any object") {
  Bench bench;
  bench.render();
  bench.request.older_than = Seconds{3600};
  const std::string ended =
      "conditions: [{type: Complete, status: 'True', lastTransitionTime: '2026-11-20T10:00:00Z'}]";
  CHECK(bench.retired(job("llama", ended)).empty());
  CHECK_FALSE(
      bench.retired(job("llama", ended) + job("x", "startTime: '2026-11-20T11:00:01Z'")).empty());
  CHECK(bench.retired(job("llama", kDone)).empty());
  CHECK(bench.says("no object of the dump has a time to count from"));
}
