// Jobs of a team that run one after another, by the Flux Operator.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/fleet/render_fleet.h"
#include "driver/plan/sync_units.h"
#include "driver/validate/validate.h"

using namespace trainyard;

namespace {

/// A fleet whose cluster `lab` has jobs of one team.
struct Bench {
  MemoryFileSystem disk;
  RenderRequest request;
  std::string messages;
  std::string gitops = "tool: flux";
  std::string operators = "{jobset: 0.12.0, kueue: 0.19.2, trainer: 2.3.0}";

  Bench() {
    disk.files[".git/HEAD"] = "";
    for (const char* name : {"prepare", "train", "evaluate", "other"}) add(name);
  }
  void add(const std::string& name, const std::string& more = "  target: jobset\n") {
    disk.files["specs/" + name + ".yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: " + name +
        ", namespace: nlp}\nspec:\n  rerun: never\n  image: registry.example.com/t:1\n  run: "
        "{script: t.py}\n" +
        more;
  }
  /// Renders with these chains; whether that went well.
  bool run(const std::string& chains) {
    disk.files["fleet.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Fleet\nmetadata: {name: ml}\nspec:\n  clusters:\n"
        "    - {file: lab.yaml, specs: [specs]}\n  teams:\n    - name: nlp\n      namespaces: "
        "[nlp]\n"
        "      specs: [specs]\n      chains: " +
        chains + "\n";
    disk.files["lab.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
        "  operators: " +
        operators + "\n  gitops: {" + gitops + "}\n";
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    render_fleet(session, request);
    messages.clear();
    for (const Diagnostic& each : session.sink.sorted()) messages += each.message + "\n";
    if (!session.sink.has_errors() && request.only.empty()) check_valid();
    return !session.sink.has_errors();
  }
  void check_valid() {
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    ValidateRequest validation;
    validation.inputs = {"rendered"};
    validate(session, validation);
    for (const Diagnostic& each : session.sink.sorted()) UNSCOPED_INFO(each.message);
    CHECK_FALSE(session.sink.has_errors());
  }
  bool has(const std::string& file) const {
    return disk.files.contains("rendered/lab/" + file + ".yaml");
  }
  std::string chain() const {
    const auto found = disk.files.find("rendered/lab/gitops/chains-nlp.nightly.yaml");
    return found == disk.files.end() ? std::string() : found->second;
  }
  bool says(const std::string& part) const {
    UNSCOPED_INFO(messages << chain());
    return (messages + chain()).find(part) != std::string::npos;
  }
};

constexpr const char* kNightly = "[{name: nightly, steps: [prepare, train, evaluate]}]";

}  // namespace

TEST_CASE("each step of a chain is a Kustomization that waits for the one before") {
  Bench bench;
  REQUIRE(bench.run(kNightly));
  CHECK(
      bench.says("kind: ResourceSet\nmetadata:\n  name: lab-chains-nlp.nightly\n"
                 "  namespace: flux-system\nspec:\n  wait: true\n  steps:\n"
                 "  - name: prepare\n    timeout: 24h\n    resources:\n"));
  CHECK(bench.says("name: lab-chains-nlp.prepare\n"));
  CHECK(bench.says("path: ./rendered/lab/chains/nlp/train\n"));
  CHECK(bench.says("dependsOn:\n        - name: lab-chains-nlp.prepare\n"));
  CHECK(bench.says("dependsOn:\n        - name: lab-chains-nlp.train\n"));
  CHECK(
      bench.says("healthChecks:\n        - apiVersion: jobset.x-k8s.io/v1alpha2\n"
                 "          kind: JobSet\n          name: evaluate\n          namespace: nlp\n"));
  CHECK(bench.has("chains/nlp/train/train"));
  CHECK_FALSE(bench.has("jobs/nlp/train"));
  CHECK(bench.has("jobs/nlp/other"));
}

TEST_CASE("a chain waits for ends whatever the gate of the cluster says, and as long as it says") {
  Bench bench;
  bench.gitops = "tool: flux, gate: started, gateTimeout: 5m";
  REQUIRE(bench.run("[{name: nightly, steps: [prepare, train], timeout: 3d}]"));
  CHECK(bench.says("timeout: 72h\n"));
  CHECK_FALSE(bench.says("timeout: 5m\n"));
  CHECK_FALSE(bench.says("'Suspended' && c.status == 'True') ? true"));
  CHECK(bench.disk.files["rendered/lab/gitops/jobs-nlp.yaml"].find("name: train\n") ==
        std::string::npos);
}

TEST_CASE("a Job that waits in a queue is no step, because Flux calls it ready") {
  Bench bench;
  bench.add("train", "  target: job\n");
  CHECK(bench.run(kNightly));
  bench.add("train", "  target: job\n  scheduling: {system: kueue, queue: q}\n");
  CHECK_FALSE(bench.run(kNightly));
  CHECK(bench.says("Flux calls the Job `train` ready while it is suspended"));
  bench.add("train", "  target: jobset\n  scheduling: {system: kueue, queue: q}\n");
  CHECK(bench.run(kNightly));
}

TEST_CASE("a chain that a cluster cannot run is an error at its place") {
  Bench bench;
  CHECK_FALSE(bench.run("[{name: nightly, steps: [prepare, trian]}]"));
  CHECK(
      bench.says("the team `nlp` has no job `trian` in the cluster `lab`; expected `evaluate`, "
                 "`other`, `prepare` or `train`"));
  CHECK_FALSE(bench.run("[{name: nightly, steps: [one, two]}]"));
  CHECK(bench.says("no cluster of the fleet has a job of the team `nlp` for the chain `nightly`"));
  CHECK_FALSE(bench.run("[{name: a, steps: [prepare, train]}, {name: b, steps: [train, other]}]"));
  CHECK(bench.says("the job `train` is a step of another chain already"));
  bench.gitops = "tool: argocd, repository: 'https://git.example.com/f.git'";
  CHECK_FALSE(bench.run(kNightly));
  CHECK(bench.says("only Flux runs chains"));
}

TEST_CASE("names of a chain fit into a label") {
  Bench bench;
  const std::string longest(63 - std::string("lab-chains-nlp.").size(), 'x');
  bench.add(longest, "  target: job\n");
  CHECK(bench.run("[{name: nightly, steps: [prepare, " + longest + "]}]"));
  bench.add(longest + "x", "  target: job\n");
  CHECK_FALSE(bench.run("[{name: nightly, steps: [prepare, " + longest + "x]}]"));
  CHECK(bench.says("has 64 characters"));
}

TEST_CASE("a run of one team renders its chained jobs, and no other folder") {
  Bench bench;
  REQUIRE(bench.run(kNightly));
  bench.request.only = "lab/nlp";
  bench.add("train", "  target: jobset\n  env: {A: b}\n");
  REQUIRE(bench.run(kNightly));
  CHECK(bench.says("a folder that a run of one team leaves as it is"));
  CHECK(bench.disk.files["rendered/lab/chains/nlp/train/train.yaml"].find("name: A\n") !=
        std::string::npos);
  bench.disk.files.erase("specs/train.yaml");
  CHECK_FALSE(bench.run(kNightly));
  REQUIRE(bench.run("[{name: nightly, steps: [prepare, evaluate]}]"));
  CHECK_FALSE(bench.has("chains/nlp/train/train"));
}

TEST_CASE("a plan knows the Kustomization of a step by its folder") {
  Bench bench;
  bench.gitops = "tool: flux, prune: false";
  REQUIRE(bench.run(kNightly));
  Env env{bench.disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  ObjectTree tree;
  tree.read(session, input_files({"rendered"}, session.env, session.sink), ObjectSource::Tree);
  const SyncUnits units(SyncTool::Flux, tree);
  const SyncUnit* unit = units.of("rendered/lab/chains/nlp/train");
  REQUIRE(unit != nullptr);
  CHECK(unit->name == "Kustomization/lab-chains-nlp.train");
  CHECK_FALSE(unit->prunes);
}
