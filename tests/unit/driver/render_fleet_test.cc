#include "driver/fleet/render_fleet.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "emit/ownership.h"
#include "growth.h"

using namespace trainyard;
using trainyard::testing::growth;
using trainyard::testing::kMostGrowth;

namespace {

std::string spec(const std::string& name, const std::string& ns, const std::string& more = "") {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: " + name +
         (ns.empty() ? "" : ", namespace: " + ns) +
         "}\nspec:\n  image: registry.example.com/t:1\n  run: {command: [./train]}\n" + more;
}

constexpr const char* kClaim =
    "  storage: {ckpt: {mountPath: /ckpt, create: {size: 1Gi, storageClassName: shared}}}\n";
constexpr const char* kGoingClaim =
    "  storage: {ckpt: {mountPath: /ckpt, create: {size: 1Gi, keep: false}}}\n";

std::string cluster(const std::string& name, const std::string& more = "") {
  return "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: " + name +
         "}\nspec:\n  kubernetes: '1.34'\n" + more;
}

constexpr const char* kFleet = R"(apiVersion: trainyard/v1alpha1
kind: Fleet
metadata: {name: ml}
spec:
  clusters:
    - {file: clusters/gke.yaml, specs: [specs/gke, specs/any]}
    - {file: clusters/aws.yaml, specs: [specs/aws, specs/any]}
  teams:
    - {name: nlp, namespaces: [nlp, nlp-dev], specs: ['specs/*/nlp/**']}
    - {name: vision, namespaces: [vision], specs: ['specs/*/vision/**']}
)";

/// Runs of one fleet that follow each other on one disk in memory.
struct Bench {
  MemoryFileSystem disk;
  RenderRequest request;
  std::string messages;  // of the last run, as "path:line: message"
  std::string notes;     // of the last run
  std::string findings;  // of the last run, as "path:line"
  std::size_t said = 0;  // notes and warnings of the last run, repeats too

  Bench() {
    disk.files["fleet.yaml"] = kFleet;
    disk.files["clusters/gke.yaml"] =
        cluster("gke", "  priorityClasses: [{name: urgent, value: 1000, appliesTo: pods}]\n");
    disk.files["clusters/aws.yaml"] = cluster("aws");
    disk.files["specs/gke/nlp/a.yaml"] = spec("llama", "nlp", kClaim);
    disk.files["specs/gke/vision/b.yaml"] = spec("dino", "vision");
    disk.files["specs/aws/nlp/c.yaml"] = spec("bert", "nlp");
    disk.files["specs/any/vision/d.yaml"] = spec("vit", "vision");
  }
  std::string& operator[](const std::string& path) { return disk.files[path]; }
  bool has(const std::string& path) const { return disk.files.contains(path); }

  void replace(const std::string& path, const std::string& from, const std::string& to) {
    std::string& text = disk.files[path];
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }

  BuildResult run(const std::string& only = "") {
    request.only = only;
    Env env{disk, [](std::size_t) { return FileRead{kFleet, {}}; }};
    Session session(env);
    BuildResult result = render_fleet(session, request);
    messages.clear();
    notes.clear();
    said = session.sink.all().size() - session.sink.error_count();
    const auto place = [&](Span span) {
      if (!span.known()) return std::string("-");
      return std::string(session.sources.name(span.file)) + ":" +
             std::to_string(session.sources.position(span.file, span.begin).line);
    };
    for (const Diagnostic& each : session.sink.sorted()) {
      if (each.severity == Severity::Error)
        messages += place(each.span) + ": " + each.message + "\n";
      for (const Label& label : each.labels) notes += place(label.span) + ": " + label.text + "\n";
    }
    findings.clear();
    for (const Diagnostic& each : result.findings) findings += place(each.span) + " ";
    return result;
  }
  /// A run that must be refused, and change nothing.
  void refused(const std::string& only = "") {
    const auto before = disk.files;
    const BuildResult result = run(only);
    CHECK_FALSE(messages.empty());
    CHECK(result.written.empty());
    CHECK(disk.files == before);
  }
  bool says(const std::string& part) const {
    INFO(messages);
    const bool found = messages.find(part) != std::string::npos;
    if (!found) UNSCOPED_INFO("the run said: " << messages);
    return found;
  }
};

using Paths = std::vector<std::string>;

std::string told(const BuildResult& result) {
  std::string all;
  for (const std::string& line : result.told) all += line + "\n";
  return all;
}

}  // namespace

TEST_CASE("a claim of the tree never changes in a way that only its deletion makes true") {
  Bench bench;
  const std::string& path = bench["specs/gke/nlp/a.yaml"];
  bench.run();
  REQUIRE(bench.messages.empty());
  SECTION("access modes follow the number of nodes") {
    bench["specs/gke/nlp/a.yaml"] = path + "  nodes: 2\n";
    bench.refused();
    CHECK(
        bench.says("specs/gke/nlp/a.yaml:7: this would change the claim `llama-ckpt` of "
                   "`rendered/gke/claims/nlp/llama.yaml`"));
    CHECK(bench.says("`accessModes` of an existing claim cannot change"));
  }
  SECTION("on several threads") {
    bench.request.workers = 4;
    bench["specs/gke/nlp/a.yaml"] = path + "  nodes: 2\n";
    bench.refused();
    CHECK(bench.says("specs/gke/nlp/a.yaml:7: this would change the claim"));
  }
  SECTION("in a checkout with other line breaks") {
    std::string& file = bench["rendered/gke/claims/nlp/llama.yaml"];
    for (std::size_t at = file.find('\n'); at != file.npos; at = file.find('\n', at + 2)) {
      file.insert(at, 1, '\r');
    }
    bench["specs/gke/nlp/a.yaml"] = path + "  nodes: 2\n";
    bench.refused();
    CHECK(bench.says("this would change the claim"));
  }
  SECTION("the class") {
    bench.replace("specs/gke/nlp/a.yaml", "storageClassName: shared", "storageClassName: fast");
    bench.refused();
    CHECK(bench.says("`spec.storageClassName`"));
  }
  SECTION("it shrinks") {
    bench.replace("specs/gke/nlp/a.yaml", "size: 1Gi", "size: 1Mi");
    bench.refused();
    CHECK(bench.says("a claim does not shrink"));
  }
  SECTION("a job of another file takes it over") {
    bench.disk.files.erase("specs/gke/nlp/a.yaml");
    bench["specs/gke/nlp/z.yaml"] =
        spec("z", "nlp",
             "  storage: {c: {mountPath: /c, create: {name: llama-ckpt, size: 1Gi, "
             "storageClassName: fast}}}\n");
    bench.refused();
    CHECK(bench.says("specs/gke/nlp/z.yaml:7: this would change the claim `llama-ckpt`"));
  }
}

TEST_CASE("a claim of the tree may grow, and change its labels") {
  Bench bench;
  bench.run();
  bench.replace("specs/gke/nlp/a.yaml", "size: 1Gi", "size: 2Gi");
  bench.replace("specs/gke/nlp/a.yaml", "{name: llama", "{name: llama, labels: {stage: '2'}");
  const BuildResult result = bench.run();
  CHECK(bench.messages.empty());
  CHECK(result.written.size() == 2);
}

TEST_CASE("a claim that has its modes in the spec keeps them when nodes are added") {
  Bench bench;
  bench.replace("specs/gke/nlp/a.yaml", "size: 1Gi", "size: 1Gi, accessModes: [ReadWriteMany]");
  bench.run();
  bench["specs/gke/nlp/a.yaml"] += "  nodes: 2\n";
  bench.run();
  CHECK(bench.messages.empty());
}

TEST_CASE("a fleet whose files are missing is refused at the lines that name them") {
  Bench bench;
  SECTION("a Cluster") {
    bench.disk.files.erase("clusters/aws.yaml");
    bench.refused();
    CHECK(bench.says("fleet.yaml:7: `clusters/aws.yaml`"));
  }
  SECTION("a folder of specs") {
    bench.replace("fleet.yaml", "specs/aws,", "specs/asw,");
    bench.refused();
    CHECK(bench.says("fleet.yaml:7: `specs/asw`"));
  }
  SECTION("a pattern of a cluster") {
    bench.replace("fleet.yaml", "specs/aws,", "'specs/aws*/cv/**',");
    bench.refused();
    CHECK(bench.says("fleet.yaml:7: no YAML or JSON file fits the pattern `specs/aws*/cv/**`"));
  }
  SECTION("a pattern of a team") {
    bench.replace("fleet.yaml", "'specs/*/nlp/**'", "'specs/*/nlp/**', 'specs/*/rec/**'");
    bench.refused();
    CHECK(bench.says("fleet.yaml:9: no spec of a cluster fits `specs/*/rec/**`"));
  }
  SECTION("an overlay") {
    bench.replace("fleet.yaml", "specs: [specs/aws, specs/any]",
                  "specs: [specs/aws, specs/any], overlays: [no.yaml]");
    bench.refused();
    CHECK(bench.says("fleet.yaml:7: `no.yaml`"));
  }
  SECTION("a policy") {
    bench.replace("fleet.yaml", "namespaces: [vision]",
                  "namespaces: [vision], policies: [no.yaml]");
    bench.refused();
    CHECK(bench.says("fleet.yaml:10: `no.yaml`"));
  }
  SECTION("the fleet itself") {
    bench.disk.files.erase("fleet.yaml");
    bench.refused();
    CHECK(bench.says("`fleet.yaml`"));
  }
}

TEST_CASE("what belongs to two teams, or to none, is refused") {
  Bench bench;
  SECTION("a namespace") {
    bench.replace("fleet.yaml", "namespaces: [vision]", "namespaces: [vision, nlp]");
    bench.refused();
    CHECK(bench.says("fleet.yaml:10: the namespace `nlp` belongs to another team already"));
    CHECK(bench.notes.find("fleet.yaml:9: the first one") != std::string::npos);
  }
  SECTION("a spec of two teams") {
    bench.replace("fleet.yaml", "'specs/*/vision/**'", "'specs/*/vision/**', specs/gke/nlp/a.yaml");
    bench.refused();
    CHECK(bench.says("specs/gke/nlp/a.yaml:3: `specs/gke/nlp/a.yaml` belongs to several teams"));
    CHECK(bench.notes == "fleet.yaml:9: team `nlp`\nfleet.yaml:10: team `vision`\n");
  }
  SECTION("a spec of no team") {
    bench["specs/gke/rec/a.yaml"] = spec("rec", "nlp");
    bench.refused();
    CHECK(bench.says("specs/gke/rec/a.yaml:3: `specs/gke/rec/a.yaml` belongs to no team"));
  }
  SECTION("a job in the namespace of another team") {
    bench["specs/gke/nlp/a.yaml"] = spec("llama", "vision");
    bench.refused();
    CHECK(
        bench.says("specs/gke/nlp/a.yaml:3: the job comes into the namespace `vision`, and the "
                   "team `nlp` has `nlp` and `nlp-dev`"));
  }
  SECTION("a job without a namespace") {
    bench["specs/gke/nlp/a.yaml"] = spec("llama", "");
    bench.refused();
    CHECK(bench.says("specs/gke/nlp/a.yaml:3: the job has no namespace"));
  }
}

TEST_CASE("two clusters of one name, and two specs of one object, are refused with both places") {
  Bench bench;
  SECTION("clusters") {
    bench["clusters/aws.yaml"] = cluster("gke");
    bench.refused();
    CHECK(bench.says("fleet.yaml:7: a second cluster of the fleet has the name `gke`"));
  }
  SECTION("a file twice") {
    bench.replace("fleet.yaml", "clusters/aws.yaml", "clusters/gke.yaml");
    bench.refused();
    CHECK(bench.says("fleet.yaml:7: "));
  }
  SECTION("a cluster that cannot name a folder") {
    bench["clusters/aws.yaml"] = cluster("../aws");
    bench.refused();
    CHECK(bench.says("clusters/aws.yaml:3: `../aws` cannot name the folder"));
  }
  SECTION("jobs") {
    bench["specs/any/nlp/z.yaml"] = spec("llama", "nlp");
    bench.refused();
    CHECK(bench.says("specs/gke/nlp/a.yaml:3: a second job comes out as `llama`"));
  }
  SECTION("claims") {
    bench["specs/gke/nlp/z.yaml"] = spec(
        "other", "nlp", "  storage: {x: {mountPath: /x, create: {size: 1Gi, name: llama-ckpt}}}\n");
    bench.refused();
    CHECK(bench.says("a second PersistentVolumeClaim comes out as `llama-ckpt`"));
  }
}

TEST_CASE("the folder of the generated files is in the repository, and apart from the inputs") {
  Bench bench;
  bench["/r/.git/HEAD"] = "";
  bench.request.fleet = "/r/f/fleet.yaml";
  const auto with = [&](const std::string& rendered) {
    for (const auto& [path, text] : Bench().disk.files) bench["/r/f/" + path] = text;
    bench.replace("/r/f/fleet.yaml", "spec:\n", "spec:\n  rendered: " + rendered + "\n");
    bench.refused();
  };
  with("../../out");
  CHECK(bench.says("/r/f/fleet.yaml:5: `/r/f/../../out` is outside of"));
  with("/etc/out");
  CHECK(bench.says("/r/f/fleet.yaml:5: `/etc/out` is outside of"));
  with(".");
  CHECK(bench.says("/r/f/fleet.yaml:5: `/r/f/clusters/gke.yaml` is an input"));
  with("specs");
  CHECK(bench.says("/r/f/fleet.yaml:5: `/r/f/specs/any/vision/d.yaml` is an input"));
}

TEST_CASE("the paths of specs do not lead out of the folder of the fleet") {
  Bench bench;
  bench.replace("fleet.yaml", "specs/aws,", "../specs,");
  bench.refused();
  CHECK(bench.says("fleet.yaml:7: `../specs` leads out of the folder of the fleet"));
}

TEST_CASE("a part that the fleet does not have is refused") {
  Bench bench;
  for (const char* only : {"azure", "gke/rec", "gke/", "/nlp", "gke/nlp/x"}) {
    INFO(only);
    bench.refused(only);
    CHECK(bench.says("the fleet has no "));
  }
}

TEST_CASE("one wrong spec of a fleet leaves its tree alone") {
  Bench bench;
  bench["specs/gke/nlp/a.yaml"] += "  nodes: none\n";
  bench.refused();
  CHECK(bench.says("specs/gke/nlp/a.yaml:"));
}

TEST_CASE("a tree has the units of each cluster and team, and a second run changes nothing") {
  Bench bench;
  CHECK(bench.run().written ==
        Paths{"rendered/aws/jobs/nlp/bert.yaml", "rendered/aws/jobs/vision/vit.yaml",
              "rendered/gke/claims/nlp/llama.yaml", "rendered/gke/jobs/nlp/llama.yaml",
              "rendered/gke/jobs/vision/dino.yaml", "rendered/gke/jobs/vision/vit.yaml",
              "rendered/gke/platform/gke.yaml"});
  CHECK(bench.messages.empty());
  const Owner owner = owner_of(bench["rendered/gke/claims/nlp/llama.yaml"]);
  CHECK(owner.fleet == "ml");
  CHECK(owner.source == "../specs/gke/nlp/a.yaml");
  CHECK(owner.intact);
  CHECK(bench["rendered/gke/jobs/nlp/llama.yaml"].find("kind: PersistentVolumeClaim") ==
        std::string::npos);
  const BuildResult second = bench.run();
  CHECK(second.written.empty());
  CHECK(second.kept.empty());
}

TEST_CASE("a claim that goes with its job stays beside it") {
  Bench bench;
  bench["specs/gke/nlp/a.yaml"] = spec("llama", "nlp", kGoingClaim);
  bench.run();
  CHECK_FALSE(bench.has("rendered/gke/claims/nlp/llama.yaml"));
  CHECK(bench["rendered/gke/jobs/nlp/llama.yaml"].find("kind: PersistentVolumeClaim") !=
        std::string::npos);
}

TEST_CASE("a job of the same name in another namespace renames no file") {
  Bench bench;
  bench.run();
  bench["specs/gke/nlp/z.yaml"] = spec("llama", "nlp-dev");
  const BuildResult second = bench.run();
  CHECK(second.written == Paths{"rendered/gke/jobs/nlp/nlp-dev.llama.yaml"});
  CHECK(second.removed.empty());
}

TEST_CASE("a fleet has one tree, wherever it is rendered from") {
  Bench bench;
  bench.run();
  const auto before = bench.disk.files;
  for (const char* path : {"./fleet.yaml", "././fleet.yaml", "/fleet.yaml"}) {
    INFO(path);
    bench.request.fleet = path;
    CHECK(bench.run().written.empty());
    CHECK(bench.messages.empty());
    CHECK(bench.disk.files == before);
  }
}

TEST_CASE("overlays and policies count for their cluster or team alone") {
  Bench bench;
  bench["o/gke.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nmetadata: {labels: {where: gke}}\n";
  bench["o/nlp.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nmetadata: {labels: {who: nlp}}\n";
  bench["o/policy.yaml"] =
      "x-trainyard: {appliesTo: specs, message: small, severity: warning}\n"
      "properties: {spec: {not: {required: [image]}}}\n";
  bench.replace("fleet.yaml", "specs: [specs/gke, specs/any]",
                "specs: [specs/gke, specs/any], overlays: [o/gke.yaml]");
  bench.replace("fleet.yaml", "namespaces: [nlp, nlp-dev]",
                "namespaces: [nlp, nlp-dev], overlays: [o/nlp.yaml]");
  for (const unsigned workers : {1U, 3U}) {
    bench.request.workers = workers;
    bench.run();
    const auto has = [&](const char* path, const char* label) {
      return bench[path].find(label) != std::string::npos;
    };
    CHECK(has("rendered/gke/jobs/nlp/llama.yaml", "where: gke"));
    CHECK(has("rendered/gke/jobs/nlp/llama.yaml", "who: nlp"));
    CHECK(has("rendered/gke/jobs/vision/vit.yaml", "where: gke"));
    CHECK_FALSE(has("rendered/gke/jobs/vision/vit.yaml", "who: nlp"));
    CHECK_FALSE(has("rendered/aws/jobs/vision/vit.yaml", "where: gke"));
    CHECK(has("rendered/aws/jobs/nlp/bert.yaml", "who: nlp"));
    for (auto at = bench.disk.files.begin(); at != bench.disk.files.end();) {
      at = at->first.starts_with("rendered/") ? bench.disk.files.erase(at) : std::next(at);
    }
  }
  bench.replace("o/policy.yaml", "severity: warning", "severity: error");
  bench.replace("fleet.yaml", "namespaces: [vision]",
                "namespaces: [vision], policies: [o/policy.yaml]");
  bench.refused();
  CHECK(bench.says("specs/any/vision/d.yaml:"));
  CHECK(bench.says("specs/gke/vision/b.yaml:"));
  CHECK_FALSE(bench.messages.find("specs/gke/nlp") != std::string::npos);
}

TEST_CASE("what leaves the fleet leaves the tree: a spec, a team, a cluster") {
  Bench bench;
  bench.run();
  bench.disk.files.erase("specs/gke/vision/b.yaml");
  CHECK(bench.run().removed == Paths{"rendered/gke/jobs/vision/dino.yaml"});
  bench.replace("fleet.yaml", "    - {file: clusters/aws.yaml, specs: [specs/aws, specs/any]}\n",
                "");
  CHECK(bench.run().removed ==
        Paths{"rendered/aws/jobs/nlp/bert.yaml", "rendered/aws/jobs/vision/vit.yaml"});
  CHECK(bench.messages.empty());
}

TEST_CASE("most of a folder goes only when asked") {
  Bench bench;
  for (const char* name : {"one", "two", "three"}) {
    bench["specs/gke/vision/" + std::string(name) + ".yaml"] = spec(name, "vision");
  }
  bench.run();
  for (const char* name : {"one", "two", "three"}) {
    bench.disk.files.erase("specs/gke/vision/" + std::string(name) + ".yaml");
  }
  bench.refused();
  CHECK(
      bench.says("would remove 3 of the 5 files that trainyard wrote into "
                 "`rendered/gke/jobs/vision`"));
  bench.request.yes = true;
  CHECK(bench.run().removed.size() == 3);
}

TEST_CASE("a run of a part looks at nothing else of the tree") {
  Bench bench;
  bench.run();
  bench["rendered/gke/jobs/vision/dino.yaml"] += "# by hand\n";
  bench["rendered/aws/jobs/nlp/left.yaml"] = bench["rendered/aws/jobs/nlp/bert.yaml"];
  bench["specs/gke/nlp/a.yaml"] = spec("llama2", "nlp");
  bench["specs/gke/vision/e.yaml"] = spec("wrong", "nlp");
  bench["clusters/gke.yaml"] = cluster("gke");
  const BuildResult part = bench.run("gke/nlp");
  CHECK(bench.messages.empty());
  CHECK(part.written == Paths{"rendered/gke/jobs/nlp/llama2.yaml"});
  CHECK(part.removed ==
        Paths{"rendered/gke/claims/nlp/llama.yaml", "rendered/gke/jobs/nlp/llama.yaml"});
  CHECK(part.kept.empty());
  bench.disk.files.erase("specs/gke/vision/e.yaml");
  bench.refused("gke");
  CHECK(bench.says("`rendered/gke/jobs/vision/dino.yaml` was edited"));
}

TEST_CASE("parts that are rendered one after the other, in any order, give the whole tree") {
  Bench whole;
  whole.run();
  const auto without_fleet_files = [](std::map<std::string, std::string> files, bool of_teams) {
    std::erase_if(files, [&](const auto& each) {
      return !each.first.starts_with("rendered/") ||
             (of_teams && each.first.find("/platform/") != std::string::npos);
    });
    return files;
  };
  std::vector<std::string> clusters = {"aws", "gke"};
  std::vector<std::string> teams = {"aws/nlp", "aws/vision", "gke/nlp", "gke/vision"};
  for (std::vector<std::string>* parts : {&clusters, &teams}) {
    const bool of_teams = parts == &teams;
    do {
      Bench bench;
      for (const std::string& part : *parts) {
        bench.run(part);
        CHECK(bench.messages.empty());
      }
      CHECK(without_fleet_files(bench.disk.files, of_teams) ==
            without_fleet_files(whole.disk.files, of_teams));
    } while (std::next_permutation(parts->begin(), parts->end()));
  }
}

TEST_CASE("files of others in the tree are neither replaced nor removed") {
  Bench bench;
  bench.run();
  SECTION("written by hand") {
    bench["rendered/gke/jobs/nlp/own.yaml"] = "kind: ConfigMap\n";
    const BuildResult result = bench.run();
    CHECK(result.removed.empty());
    CHECK(bench["rendered/gke/jobs/nlp/own.yaml"] == "kind: ConfigMap\n");
  }
  SECTION("edited, and no longer made") {
    bench["rendered/gke/jobs/vision/dino.yaml"] += "# by hand\n";
    bench.disk.files.erase("specs/gke/vision/b.yaml");
    const BuildResult result = bench.run();
    CHECK(result.removed.empty());
    CHECK(told(result) ==
          "kept rendered/gke/jobs/vision/dino.yaml: it was edited since trainyard wrote it\n");
  }
  SECTION("of another fleet") {
    bench.replace("fleet.yaml", "name: ml", "name: other");
    bench.refused();
    CHECK(
        bench.says("`rendered/gke/platform/gke.yaml` was made by the fleet `ml` from "
                   "`../clusters/gke.yaml`"));
    bench.request.prune = true;
    CHECK(bench.run().written.size() == 7);
  }
  SECTION("of build") {
    BuildRequest build_request;
    build_request.inputs = {"specs/aws/nlp/c.yaml"};
    build_request.output_directory = "rendered/aws/jobs/nlp";
    Env env{bench.disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    bench.disk.files.erase("rendered/aws/jobs/nlp/bert.yaml");
    build(session, build_request);
    REQUIRE(bench.has("rendered/aws/jobs/nlp/bert.yaml"));
    bench.refused();
    CHECK(bench.says("`rendered/aws/jobs/nlp/bert.yaml` was made by `build` from"));
  }
}

TEST_CASE("build leaves the files of a fleet alone") {
  Bench bench;
  bench.run();
  Env env{bench.disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  BuildRequest request;
  request.inputs = {"specs/aws/nlp"};
  request.output_directory = "rendered/aws/jobs/nlp";
  build(session, request);
  REQUIRE(session.sink.has_errors());
  CHECK(session.sink.all().front().message ==
        "`rendered/aws/jobs/nlp/bert.yaml` was made by the fleet `ml` from "
        "`../specs/aws/nlp/c.yaml`");
}

TEST_CASE("a check of a fleet names each file at the line of its spec, and writes nothing") {
  Bench bench;
  bench.run();
  bench.request.check = true;
  bench.request.findings = true;
  CHECK_FALSE(bench.run().out_of_date);
  bench.replace("specs/gke/nlp/a.yaml", "t:1", "t:2");
  bench.disk.files.erase("rendered/aws/jobs/nlp/bert.yaml");
  bench.disk.files.erase("specs/gke/vision/b.yaml");
  const auto before = bench.disk.files;
  const BuildResult result = bench.run();
  CHECK(result.out_of_date);
  CHECK(bench.findings ==
        "specs/aws/nlp/c.yaml:3 specs/gke/nlp/a.yaml:5 rendered/gke/jobs/vision/dino.yaml:1 ");
  CHECK(told(result).find("superfluous: rendered/gke/jobs/vision/dino.yaml") != std::string::npos);
  CHECK(bench.disk.files == before);
}

TEST_CASE("the order of a fleet's entries and the number of threads change no byte of its tree") {
  Bench bench;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "job-" + std::to_string(i);
    bench["specs/any/nlp/" + name + ".yaml"] = spec(name, "nlp", kClaim);
  }
  bench.run();
  const auto first = bench.disk.files;
  bench.replace("fleet.yaml", "[specs/gke, specs/any]",
                "['specs/any/**', 'specs/gk?/**', specs/gke]");
  const auto clusters = bench["fleet.yaml"].find("    - {file: clusters/aws");
  const auto teams = bench["fleet.yaml"].find("  teams:");
  const std::string aws = bench["fleet.yaml"].substr(clusters, teams - clusters);
  bench["fleet.yaml"].erase(clusters, aws.size());
  bench["fleet.yaml"].insert(bench["fleet.yaml"].find("    - {file: clusters/gke"), aws);
  for (const unsigned workers : {1U, 4U}) {
    bench.request.workers = workers;
    for (auto& [path, text] : bench.disk.files) {
      if (path.starts_with("rendered/")) text.clear();
    }
    bench.request.prune = true;
    std::erase_if(bench.disk.files,
                  [](const auto& each) { return each.first.starts_with("rendered/"); });
    bench.run();
    CHECK(bench.messages.empty());
    for (const auto& [path, text] : first) {
      INFO(path);
      if (path != "fleet.yaml") CHECK(bench[path] == text);
    }
  }
}

TEST_CASE("four times the specs of a fleet take no more than linear time to render and to check") {
  const auto run = [](std::size_t specs, bool check) {
    Bench bench;
    for (std::size_t i = 0; i < specs; ++i) {
      const std::string name = "job-" + std::to_string(i);
      bench["specs/any/nlp/" + name + ".yaml"] = spec(name, "nlp");
    }
    bench.run();
    bench.request.check = true;
    if (check) bench.run();
  };
  const double rendered = growth(150, [&](std::size_t specs) { run(specs, false); });
  CHECK(rendered < kMostGrowth);
  const double checked = growth(150, [&](std::size_t specs) { run(specs, true); });
  CHECK(checked < kMostGrowth);
}

TEST_CASE("what is reported of specs that share a base is the same with any number of threads") {
  Bench bench;
  bench[".git/HEAD"] = "";
  bench["bases/b.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec:\n"
      "  image: registry.example.com/t:1\n  run: {command: [./train]}\n";
  const auto extending = [](const std::string& name) {
    return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nextends: ../../../bases/b.yaml\n"
           "metadata: {name: " +
           name + ", namespace: nlp}\n";
  };
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    bench["specs/any/nlp/" + number + ".yaml"] = extending("Job_" + number);  // a note: changed
  }
  bench.run();
  bench.replace("bases/b.yaml", "t:1", "t:2");
  bench.request.check = true;
  bench.request.findings = true;
  std::string first;
  for (const unsigned workers : {1U, 2U, 5U}) {
    bench.request.workers = workers;
    const BuildResult result = bench.run();
    const std::string all = bench.messages + bench.notes + bench.findings + told(result);
    CHECK(bench.findings.find("bases/b.yaml:4") != std::string::npos);
    CHECK(bench.said == 122);  // one for each job and one for each cluster
    if (first.empty()) first = all;
    CHECK(all == first);
  }
  bench["specs/any/nlp/x.yaml"] = extending("job-59");
  first.clear();
  for (const unsigned workers : {1U, 2U, 5U}) {
    bench.request.workers = workers;
    bench.run();
    CHECK(bench.says("specs/any/nlp/x.yaml:4: a second job comes out as `job-59`"));
    if (first.empty()) first = bench.messages + bench.notes;
    CHECK(bench.messages + bench.notes == first);
  }
}
