#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "driver/build/build.h"
#include "emit/artifact.h"
#include "emit/ownership.h"

using namespace trainyard;

namespace {

std::string spec(const std::string& name, const std::string& image = "registry.example.com/t:1") {
  return "apiVersion: trainyard/v1alpha1\n"
         "kind: TrainingJob\n"
         "metadata: {name: " +
         name +
         "}\n"
         "spec:\n"
         "  image: " +
         image +
         "\n"
         "  run: {command: [./train]}\n";
}

/// Builds that follow each other on one disk in memory.
struct Bench {
  MemoryFileSystem disk;
  std::vector<std::string> inputs = {"specs"};
  BuildRequest request;
  std::string messages;  // of the last run
  std::string findings;  // of the last run, as "path:line"

  Bench() {
    request.output_directory = "out";
    request.inputs = inputs;
  }
  std::string& operator[](const std::string& path) { return disk.files[path]; }
  bool has(const std::string& path) const { return disk.files.contains(path); }

  BuildResult run(std::vector<std::string> from) {
    request.inputs = std::move(from);
    Env env{disk, [](std::size_t) { return FileRead{spec("piped"), {}}; }};
    Session session(env);
    BuildResult result = build(session, request);
    messages.clear();
    for (const Diagnostic& each : session.sink.sorted()) messages += each.message + "\n";
    findings.clear();
    for (const Diagnostic& each : result.findings) {
      REQUIRE(each.kind == DiagnosticKind::OutOfDate);
      REQUIRE(each.span.known());
      findings += std::string(session.sources.name(each.span.file)) + ":" +
                  std::to_string(session.sources.position(each.span.file, each.span.begin).line) +
                  " ";
    }
    return result;
  }
  BuildResult run() { return run({"specs"}); }
  bool says(const std::string& part) const { return messages.find(part) != std::string::npos; }
};

using Paths = std::vector<std::string>;

bool told(const BuildResult& result, const std::string& part) {
  for (const std::string& line : result.told) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("one spec built into the tree of a fleet leaves the rest of the fleet alone") {
  Bench bench;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "job-" + std::to_string(i);
    bench["specs/" + name + ".yaml"] = spec(name);
  }
  bench.run();
  const auto before = bench.disk.files;
  bench["specs/job-3.yaml"] = spec("job-3", "registry.example.com/t:2");
  const BuildResult one = bench.run({"specs/job-3.yaml"});
  CHECK(one.written == Paths{"out/job-3.yaml"});
  CHECK(one.removed.empty());
  CHECK(one.kept.size() == 11);
  CHECK(told(one, "kept 11 files whose sources are not among the inputs"));
  CHECK(bench["out/kustomization.yaml"] == before.at("out/kustomization.yaml"));
  CHECK(bench.disk.files.size() == before.size());
}

TEST_CASE("two builds of disjoint specs into one directory keep each other's files and entries") {
  Bench bench;
  bench["nlp/a.yaml"] = spec("alpha");
  bench["vision/b.yaml"] = spec("beta");
  bench.run({"nlp"});
  const BuildResult second = bench.run({"vision"});
  CHECK(second.removed.empty());
  CHECK(told(second, "kept out/alpha.yaml: it was made from `../nlp/a.yaml`"));
  CHECK(bench["out/kustomization.yaml"].ends_with("resources:\n- alpha.yaml\n- beta.yaml\n"));
  CHECK(bench.run({"nlp"}).written.empty());
}

TEST_CASE("another source's job of the same name is an error, and nothing is written") {
  Bench bench;
  bench["nlp/a.yaml"] = spec("train");
  bench["vision/a.yaml"] = spec("train");
  bench["vision/b.yaml"] = spec("beta");
  bench.run({"nlp"});
  const auto before = bench.disk.files;
  bench.run({"vision"});
  CHECK(bench.says("was made from `../nlp/a.yaml`, which is not among the inputs"));
  CHECK(bench.disk.files == before);
}

TEST_CASE("a file that was edited is neither replaced nor removed") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench["specs/b.yaml"] = spec("beta");
  bench.run();
  bench["out/alpha.yaml"] += "# by hand\n";
  bench["specs/a.yaml"] = spec("alpha", "registry.example.com/t:2");
  const auto before = bench.disk.files;
  bench.run();
  CHECK(bench.says("`out/alpha.yaml` was edited since trainyard wrote it"));
  CHECK(bench.disk.files == before);
  bench.disk.files.erase("specs/a.yaml");
  const BuildResult result = bench.run();
  CHECK(told(result, "kept out/alpha.yaml: it was edited since trainyard wrote it"));
  CHECK(bench["out/alpha.yaml"] == before.at("out/alpha.yaml"));
}

TEST_CASE("copies, streams in files and files of older versions are kept") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench.run();
  bench["out/copy.yaml"] = bench["out/alpha.yaml"];
  bench["out/all.yaml"] = std::string(kHeader) + "kind: Job\n";
  bench["out/notes.yaml"] = "mine: true\n";
  const BuildResult result = bench.run();
  CHECK(result.removed.empty());
  CHECK(told(result, "kept out/copy.yaml: kustomization.yaml does not list it"));
  CHECK(told(result, "kept out/all.yaml: it does not record its source"));
  CHECK(result.kept == Paths{"out/all.yaml", "out/copy.yaml"});
  CHECK(bench["out/kustomization.yaml"].ends_with("resources:\n- alpha.yaml\n"));
}

TEST_CASE("the file of a spec that was renamed or deleted is removed") {
  Bench bench;
  bench["specs/sub/a.yaml"] = spec("alpha");
  bench["specs/b.yaml"] = spec("beta");
  bench.run();
  bench.disk.files.erase("specs/sub/a.yaml");
  bench["specs/c.yaml"] = spec("gamma");
  const BuildResult result = bench.run();
  CHECK(result.removed == Paths{"out/alpha.yaml"});
  CHECK(result.told.empty());
  CHECK(bench["out/kustomization.yaml"].ends_with("resources:\n- beta.yaml\n- gamma.yaml\n"));
}

TEST_CASE("more than half of the files go only where the user agrees") {
  Bench bench;
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    bench["specs/" + name + ".yaml"] = spec("job-" + name);
  }
  bench.run();
  for (const std::string name : {"a", "b", "c"}) bench.disk.files.erase("specs/" + name + ".yaml");
  const auto before = bench.disk.files;
  bench.run();
  CHECK(bench.says("this would remove 3 of the 5 files that trainyard wrote into `out`"));
  CHECK(bench.disk.files == before);
  bench.request.yes = true;
  CHECK(bench.run().removed.size() == 3);
}

TEST_CASE("a build that prunes removes and replaces all that has the header") {
  Bench bench;
  bench["nlp/a.yaml"] = spec("alpha");
  bench["vision/b.yaml"] = spec("beta");
  bench.run({"nlp"});
  bench["out/alpha.yaml"] += "# by hand\n";
  bench["out/all.yaml"] = std::string(kHeader) + "kind: Job\n";
  bench["out/mine.yaml"] = "mine: true\n";
  bench.request.prune = true;
  bench.run({"vision"});
  CHECK(bench.says("this would remove 2 of the 2 files"));
  bench.request.yes = true;
  const BuildResult result = bench.run({"vision"});
  CHECK(result.removed == Paths{"out/all.yaml", "out/alpha.yaml"});
  CHECK(bench.has("out/mine.yaml"));
}

TEST_CASE("a file of an older version is replaced where only the record is new") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench.run();
  const auto recorded = bench.disk.files;
  for (const std::string name : {"out/alpha.yaml", "out/kustomization.yaml"}) {
    bench[name] = without_record(bench[name]);
  }
  bench.run();
  CHECK(bench.disk.files == recorded);
  bench["out/alpha.yaml"] = std::string(kHeader) + "kind: Job\n";
  bench.run();
  CHECK(bench.says("`out/alpha.yaml` does not record its source"));
}

TEST_CASE("a checkout that changes the line breaks changes nothing else") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench.run();
  for (const std::string name : {"out/alpha.yaml", "out/kustomization.yaml"}) {
    std::string text;
    for (const char c : bench[name]) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    bench[name] = text;
  }
  CHECK(bench.run().written.empty());
  bench["specs/a.yaml"] = spec("alpha", "registry.example.com/t:2");
  CHECK(bench.run().written == Paths{"out/alpha.yaml"});
  CHECK(bench.messages.empty());
}

TEST_CASE("a kustomization that was edited stays as long as it lists the right files") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench.run();
  bench["out/kustomization.yaml"] += "namespace: team\n";
  const std::string edited = bench["out/kustomization.yaml"];
  bench["specs/a.yaml"] = spec("alpha", "registry.example.com/t:2");
  CHECK(bench.run().written == Paths{"out/alpha.yaml"});
  CHECK(bench["out/kustomization.yaml"] == edited);
  bench["specs/b.yaml"] = spec("beta");
  bench.run();
  CHECK(bench.says("`out/kustomization.yaml` was edited since trainyard wrote it"));
  CHECK_FALSE(bench.has("out/beta.yaml"));
}

TEST_CASE("jobs of standard input do not remove each other") {
  Bench bench;
  bench.run({"-"});
  CHECK(owner_of(bench["out/piped.yaml"]).source == "-");
  bench["out/other.yaml"] = bench["out/piped.yaml"];
  bench["out/kustomization.yaml"] = "resources: [other.yaml, piped.yaml]\n";
  const BuildResult result = bench.run({"-"});
  CHECK(result.removed.empty());
  CHECK(told(result, "kept out/other.yaml: it was made from standard input"));
}

TEST_CASE("a directory of inputs that cannot be read stops the build, and nothing is touched") {
  class Closed : public MemoryFileSystem {
   public:
    Listing list(const std::string& path) override {
      if (path == "specs/nlp") return {{}, {}, error_from(EMFILE)};
      return MemoryFileSystem::list(path);
    }
  };
  Closed disk;
  disk.files = {{"specs/nlp/a.yaml", spec("alpha")}, {"specs/b.yaml", spec("beta")}};
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  BuildRequest request;
  request.inputs = {"specs"};
  request.output_directory = "out";
  CHECK(build(session, request).written.empty());
  REQUIRE(session.sink.has_errors());
  CHECK(session.sink.sorted()[0].kind == DiagnosticKind::InputFailed);
  CHECK(session.sink.sorted()[0].message == "`specs/nlp`: too many open files");
  CHECK(disk.files.size() == 2);
}

TEST_CASE("the recorded source is the same from wherever the tree is built") {
  Bench here;
  here["repo/specs/nlp/a.yaml"] = spec("alpha");
  here.request.output_directory = "repo/deploy";
  here.run({"repo/specs"});
  Bench there;
  there["home/me/repo/specs/nlp/a.yaml"] = spec("alpha");
  there.request.output_directory = "home/me/repo/specs/../deploy/";
  there.run({"home/me/repo/specs/nlp/a.yaml"});
  const std::string text = here["repo/deploy/alpha.yaml"];
  CHECK(owner_of(text).source == "../specs/nlp/a.yaml");
  bool same = false;
  for (const auto& [path, other] : there.disk.files) same = same || other == text;
  CHECK(same);
}

TEST_CASE("a check finds what is out of date at the line of the spec that changed") {
  Bench bench;
  for (const char* name : {"alpha", "beta", "gamma", "delta"}) {
    bench["specs/" + std::string(name) + ".yaml"] = spec(name);
  }
  bench.run();
  bench.request.check = true;
  bench.request.findings = true;
  bench.run();
  CHECK(bench.findings.empty());
  bench["specs/alpha.yaml"] = spec("alpha", "registry.example.com/t:2");
  bench.disk.files.erase("specs/beta.yaml");
  bench.disk.files.erase("out/gamma.yaml");
  std::string& edited = bench["out/delta.yaml"];
  edited.replace(edited.find("./train"), 7, "./drain");
  const std::string all =
      "specs/alpha.yaml:5 specs/delta.yaml:6 specs/gamma.yaml:3 out/kustomization.yaml:1 "
      "out/beta.yaml:1 ";
  SECTION("on one thread") {
    bench.run();
    CHECK(bench.findings == all);
  }
  SECTION("on several") {
    bench.request.workers = 4;
    bench.run();
    CHECK(bench.findings == all);
  }
  SECTION("only where findings are asked for") {
    bench.request.findings = false;
    CHECK(bench.run().out_of_date);
    CHECK(bench.findings.empty());
  }
}

TEST_CASE("a value that leads to many lines is found where a user wrote it") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha") + "  env: {TEXT: \"one\\ntwo\\nthree\"}\n";
  bench.run();
  bench["specs/a.yaml"] = spec("alpha") + "  env: {TEXT: \"one\\ntwo\\nfour\"}\n";
  bench.request.check = true;
  bench.request.findings = true;
  bench.run();
  CHECK(bench.findings == "specs/a.yaml:7 ");
  // A field that is gone has no line in the spec.
  bench["specs/a.yaml"] = spec("alpha");
  bench.run();
  CHECK(bench.findings == "specs/a.yaml:3 ");
}

TEST_CASE("a Cluster that asks for no object gives no file, nor a kustomization that lists none") {
  Bench bench;
  bench["lab.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
      "  pools: [{name: a, machine: p5.48xlarge}]\n";
  CHECK(bench.run({"lab.yaml"}).written.empty());
  CHECK(bench.messages == "the Cluster asks for no object: all that it lists already exists\n");
  bench["specs/a.yaml"] = spec("alpha");
  bench["specs/other.yaml"] = "a: 1\n";
  CHECK(bench.run({"lab.yaml", "specs"}).written ==
        Paths{"out/alpha.yaml", "out/kustomization.yaml"});
  bench.disk.files.erase("specs/a.yaml");
  CHECK(bench.run({"lab.yaml", "specs"}).removed ==
        Paths{"out/alpha.yaml", "out/kustomization.yaml"});
}

TEST_CASE("a tree without a kustomization has all that one with it has") {
  Bench bench;
  for (const char* name : {"a", "b", "c"}) {
    bench["specs/" + std::string(name) + ".yaml"] = spec(name);
  }
  bench.request.kustomization = false;
  CHECK(bench.run().written == Paths{"out/a.yaml", "out/b.yaml", "out/c.yaml"});
  CHECK(bench.run().written.empty());
  bench.disk.files.erase("specs/b.yaml");
  bench["out/c.yaml"] += "# by hand\n";
  bench["out/mine.yaml"] = "a: 1\n";
  SECTION("a check tells what is out of date") {
    bench.request.check = true;
    const BuildResult result = bench.run();
    CHECK(result.told == Paths{"edited: out/c.yaml", "superfluous: out/b.yaml"});
  }
  SECTION("what was edited is kept, and what is left over goes") {
    const auto before = bench.disk.files;
    bench.run();
    CHECK(bench.says("`out/c.yaml` was edited since trainyard wrote it"));
    CHECK(bench.disk.files == before);
    bench.disk.files.erase("out/c.yaml");
    const BuildResult result = bench.run();
    CHECK(result.removed == Paths{"out/b.yaml"});
    CHECK(result.written == Paths{"out/c.yaml"});
    CHECK(bench.has("out/mine.yaml"));
  }
}

TEST_CASE("a directory can be switched to no kustomization, and back") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench["specs/b.yaml"] = spec("beta");
  bench.run();
  const auto before = bench.disk.files;
  bench.request.kustomization = false;
  bench.request.check = true;
  CHECK(bench.run().told == Paths{"superfluous: out/kustomization.yaml"});
  bench.request.check = false;
  CHECK(bench.run().removed == Paths{"out/kustomization.yaml"});
  bench.request.kustomization = true;
  CHECK(bench.run().written == Paths{"out/kustomization.yaml"});
  CHECK(bench.disk.files == before);
}

TEST_CASE("a kustomization of the user's own is not removed") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench.request.kustomization = false;
  SECTION("be it written") {
    bench["out/kustomization.yaml"] = "resources: [alpha.yaml]\n";
    CHECK(bench.run().removed.empty());
  }
  SECTION("or edited") {
    bench.request.kustomization = true;
    bench.run();
    bench["out/kustomization.yaml"] += "namespace: nlp\n";
    bench.request.kustomization = false;
    const BuildResult result = bench.run();
    CHECK(result.removed.empty());
    CHECK(told(result, "kept out/kustomization.yaml: it was edited since trainyard wrote it"));
  }
  CHECK(bench.has("out/kustomization.yaml"));
}

namespace {

/// The two texts as Git merges them when it can merge no line: both sides below the header.
std::string conflict(const std::string& ours, const std::string& base, const std::string& theirs) {
  const auto rest = [](const std::string& text) { return text.substr(text.find('\n') + 1); };
  return ours.substr(0, ours.find('\n') + 1) + "<<<<<<< HEAD\n" + rest(ours) +
         (base.empty() ? "" : "||||||| 4b825dc\n" + rest(base)) + "=======\n" + rest(theirs) +
         ">>>>>>> topic\n";
}

}  // namespace

TEST_CASE("a build repairs a merge conflict in kustomization.yaml, and so what a user made of it") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench["specs/d.yaml"] = spec("delta");
  bench["elsewhere/e.yaml"] = spec("echo");
  bench.run({"elsewhere"});
  bench.run();
  const std::string base = bench["out/kustomization.yaml"];
  bench["specs/b.yaml"] = spec("beta");
  bench.run();
  const std::string ours = bench["out/kustomization.yaml"];
  bench.disk.files.erase("specs/b.yaml");
  bench.disk.files.erase("out/beta.yaml");
  bench["out/kustomization.yaml"] = base;
  bench["specs/c.yaml"] = spec("gamma");
  bench.run();
  const std::string theirs = bench["out/kustomization.yaml"];
  bench["specs/b.yaml"] = spec("beta");
  bench.run();
  const auto merged = bench.disk.files;
  const std::string good = bench["out/kustomization.yaml"];
  REQUIRE(good.ends_with("- alpha.yaml\n- beta.yaml\n- delta.yaml\n- echo.yaml\n- gamma.yaml\n"));
  const auto repairs = [&](const std::string& text) {
    bench["out/kustomization.yaml"] = text;
    bench.run();
    CHECK(bench.messages.empty());
    CHECK(bench.disk.files == merged);
  };
  SECTION("with the markers") {
    repairs(conflict(ours, "", theirs));
  }
  SECTION("with the markers of diff3") {
    repairs(conflict(ours, base, theirs));
  }
  SECTION("with an entry of another build that one side alone has") {
    std::string without = theirs;
    without.erase(without.find("- echo.yaml\n"), 12);
    repairs(conflict(ours, "", without));
  }
  SECTION("with a marker that was left over") {
    repairs(good + "=======\n");
    repairs(good + ">>>>>>> topic\n");
  }
  SECTION("with one side of it") {
    repairs(ours);
    repairs(theirs);
  }
  SECTION("with the digest of one side and an entry too few") {
    std::string text = ours;
    text.replace(text.find("- beta.yaml\n"), 12, "- gamma.yaml\n");
    repairs(text);
  }
  SECTION("but not when the user has written more than entries") {
    for (const std::string more : {"namespace: nlp\n", "- ../base\n", "# why\n"}) {
      bench["out/kustomization.yaml"] = conflict(ours, "", theirs) + more;
      const auto before = bench.disk.files;
      bench.run();
      CHECK(bench.messages.find("out/kustomization.yaml") != std::string::npos);
      CHECK(bench.disk.files == before);
    }
  }
}

TEST_CASE("a built file with a merge conflict is an error that says how to go on") {
  Bench bench;
  bench["specs/a.yaml"] = spec("alpha");
  bench.run();
  const std::string ours = bench["out/alpha.yaml"];
  bench["out/alpha.yaml"] = conflict(ours, "", ours);
  const auto before = bench.disk.files;
  bench.run();
  CHECK(bench.messages == "`out/alpha.yaml` has an unresolved merge conflict of Git\n");
  CHECK(bench.disk.files == before);
}
