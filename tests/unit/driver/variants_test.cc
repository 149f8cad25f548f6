// Specs that are put together of several files or stand for several jobs, through a whole build.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>
#include <string>

#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

using FileTexts = std::map<std::string, std::string>;

const std::string kHead = "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\n";
const std::string kLayer = "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\n";

struct Outcome {
  std::string stream;
  std::vector<Diagnostic> reports;
};

Outcome build_with(const FileTexts& files, const std::vector<std::string>& inputs, unsigned workers,
                   const std::vector<std::string>& overlays = {}) {
  MemoryFileSystem disk;
  disk.files = files;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  session.layers.overlays = overlays;
  BuildRequest request;
  request.inputs = inputs;
  request.workers = workers;
  Outcome outcome;
  outcome.stream = build(session, request).stream.whole();
  outcome.reports = session.sink.sorted();
  return outcome;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++result;
  }
  return result;
}

/// Forty specs over one base; the base may hold what is wrong.
FileTexts fleet(const std::string& base) {
  FileTexts files{{".git/HEAD", ""},
                  {"base.yaml", kLayer + base},
                  {"team.yaml", kLayer + "spec: {env: {TEAM: nlp}}\n"}};
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(100 + i);
    files["specs/" + number + ".yaml"] = kHead + "extends: ../base.yaml\nmetadata: {name: job" +
                                         number +
                                         "}\nmatrix: {a: [1, 2]}\nspec: {env: {A: '${{ "
                                         "matrix.a }}'}}\n";
  }
  return files;
}

const std::string kGoodBase =
    "spec: {image: 'r.example.com/a:1', run: {command: [./a]}, security: {runAsUser: 1000}}\n";

}  // namespace

TEST_CASE("threads change nothing in what is built of layers and matrices") {
  const FileTexts files = fleet(kGoodBase);
  const Outcome one = build_with(files, {"specs"}, 1, {"team.yaml"});
  CHECK(one.reports.empty());
  CHECK(count(one.stream, "\nkind: Job\n") == 80);
  CHECK(build_with(files, {"specs"}, 4, {"team.yaml"}).stream == one.stream);
}

TEST_CASE("threads change nothing in what is reported about layers") {
  const FileTexts files = fleet("spec: {image: 'r.example.com/a:1', nodse: 2, nodes: x}\n");
  const Outcome one = build_with(files, {"specs"}, 1);
  const Outcome four = build_with(files, {"specs"}, 4);
  REQUIRE(one.reports.size() == 2);  // once for all jobs
  REQUIRE(four.reports.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(one.reports[i].message == four.reports[i].message);
  CHECK(one.stream.empty());
  CHECK(four.stream.empty());
}

TEST_CASE("a name that comes from a base meets another one, in either order of reading") {
  FileTexts files{{".git/HEAD", ""},
                  {"base.yaml", kLayer + "metadata: {name: same}\n" + kGoodBase}};
  for (int i = 100; i < 140; ++i) {
    files["specs/" + std::to_string(i) + ".yaml"] = kHead +
                                                    "extends: ../base.yaml\nmetadata: "
                                                    "{namespace: n" +
                                                    std::to_string(i % 39) + "}\n";
  }
  for (unsigned workers : {1U, 4U}) {
    const Outcome outcome = build_with(files, {"specs"}, workers);
    REQUIRE(outcome.reports.size() == 1);
    CHECK(outcome.reports[0].kind == DiagnosticKind::NameCollision);
    CHECK(outcome.reports[0].span.known());
    CHECK(outcome.reports[0].labels.at(0).span.known());
  }
}

TEST_CASE("moving a field from a job to what it extends changes not a byte") {
  const std::string rest = "metadata: {name: job}\n" + kGoodBase;
  const Outcome alone = build_with({{"job.yaml", kHead + rest}}, {"job.yaml"}, 1);
  const Outcome layered =
      build_with({{"job.yaml", kHead + "extends: base.yaml\nmetadata: {name: job}\n"},
                  {"base.yaml", kLayer + kGoodBase}},
                 {"job.yaml"}, 1);
  CHECK(layered.reports.empty());
  CHECK(layered.stream == alone.stream);  // with the digest
}

TEST_CASE("a sweep of a thousand jobs has a thousand names") {
  std::string list;
  for (int i = 0; i < 1000; ++i) list += (i == 0 ? "" : ", ") + std::to_string(i);
  const Outcome sweep = build_with(
      {{"job.yaml", kHead + "metadata: {name: sweep}\nmatrix: {seed: [" + list + "]}\n" +
                        "spec: {image: 'r.example.com/a:1', run: {command: [./a]}, env: {S: '${{ "
                        "matrix.seed }}'}, security: {runAsUser: 1000}}\n"}},
      {"job.yaml"}, 1);
  CHECK(sweep.reports.empty());
  CHECK(count(sweep.stream, "\nkind: Job\n") == 1000);
}

TEST_CASE("a credential among parameters is refused and goes into no name") {
  const std::string token = "ghp_" + std::string(36, 'a');
  const Outcome outcome = build_with(
      {{"job.yaml",
        kHead + "metadata: {name: sweep}\nmatrix: {token: [" + token + ", " + token +
            "]}\nspec: {image: 'r.example.com/a:1', env: {T: '${{ matrix.token }}'}}\n"}},
      {"job.yaml"}, 1);
  CHECK(outcome.stream.empty());
  REQUIRE_FALSE(outcome.reports.empty());
  for (const Diagnostic& each : outcome.reports) {
    CHECK(each.kind == DiagnosticKind::CredentialLiteral);
    CHECK(each.message.find(token) == std::string::npos);
  }
}

TEST_CASE("every spec that extends a file that does not exist is reported") {
  const std::string spec = kHead + "extends: none.yaml\nmetadata: {name: a}\n";
  const Outcome outcome = build_with({{"a.yaml", spec}, {"b.yaml", spec}}, {"a.yaml", "b.yaml"}, 1);
  REQUIRE(outcome.reports.size() == 2);
  CHECK(outcome.reports[0].span.file != outcome.reports[1].span.file);
}

TEST_CASE("documents too large for a job are refused before they are merged or multiplied") {
  std::string many;
  for (int i = 0; i < 11'000; ++i) many += "  k" + std::to_string(i) + ": x\n";
  const Outcome layer =
      build_with({{"base.yaml", kLayer + "spec:\n" + many},
                  {"job.yaml", kHead + "extends: base.yaml\nmetadata: {name: a}\n"}},
                 {"job.yaml"}, 1);
  REQUIRE(layer.reports.size() == 1);
  CHECK(layer.reports[0].kind == DiagnosticKind::TooManyNodes);
  const Outcome sweep =
      build_with({{"job.yaml", kHead + "metadata: {name: a}\nmatrix: {a: [1, 2]}\nspec:\n" + many}},
                 {"job.yaml"}, 1);
  REQUIRE(sweep.reports.size() == 1);
  CHECK(sweep.reports[0].kind == DiagnosticKind::TooManyNodes);
}
