// A field that is asked to be two things is a diagnostic that shows who asked.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/build/build.h"
#include "source/file_system.h"

using namespace trainyard;

namespace {

/// `kind primary-line label | also-line label`, of the only report. Line 0 is no place.
std::string conflict(const std::string& spec, const std::string& cluster = "") {
  MemoryFileSystem disk;
  disk.files["job.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\n"
      "spec:\n  image: registry.example.com/i:1\n  run: {script: a.py}\n" +
      spec;
  disk.files["cluster.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n"
      "spec:\n  kubernetes: '1.33'\n" +
      cluster;
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  BuildRequest request;
  request.inputs = {"job.yaml"};
  if (!cluster.empty()) request.cluster = "cluster.yaml";
  CHECK(build(session, request).stream.whole().empty());
  REQUIRE(session.sink.all().size() == 1);
  const Diagnostic& report = session.sink.all()[0];
  const auto line = [&](Span span) {
    return span.known() ? session.sources.position(span.file, span.begin).line : 0U;
  };
  std::string result = std::string(info(report.kind).name) + " " +
                       std::to_string(line(report.span)) + " " + report.label;
  for (const auto& label : report.labels) {
    result += " | " + std::to_string(line(label.span)) + " " + label.text;
  }
  for (const std::string& note : report.notes) result += " = " + note;
  return result;
}

}  // namespace

TEST_CASE("two inputs are both shown") {
  CHECK(conflict("  placement: {zone: a}\n"
                 "  machine: dgx-h100\n"
                 "  network: {fabric: none}\n"
                 "  pool: p\n"
                 "  env: {X: '1'}\n"
                 "  secretEnv: {X: {name: s}}\n",
                 "  pools: [{name: p, machine: dgx-h100, count: 1}]\n") ==
        "conflicting-variable 12 given here | 11 given here");
  CHECK(conflict("  storage:\n"
                 "    a: {emptyDir: {}, mountPath: /x}\n"
                 "    b: {emptyDir: {}, mountPath: /x}\n") ==
        "conflicting-mounts 9 given here | 8 given here");
}

TEST_CASE("the spec and the Cluster are both shown") {
  CHECK(conflict("  placement: {nodeSelector: {disk: hdd}}\n  pool: p\n  network: {fabric: none}\n",
                 "  pools: [{name: p, machine: dgx-h100, count: 1, labels: {disk: nvme}}]\n") ==
        "conflicting-values 7 given here | 6 given here");
}

TEST_CASE("an input and a rule are both shown") {
  CHECK(conflict("  nodes: 2\n  env: {PET_NNODES: '3'}\n") ==
        "conflicting-variable 8 given here | 7 set by rule `rendezvous-variables` = rule "
        "`rendezvous-variables` computes this variable; leave it out of `env`");
}

TEST_CASE("a rule's value and the catalogue's are shown at the line of the spec") {
  CHECK(conflict("  machine: dgx-h100\n  gpu: {product: NVIDIA-H200}\n")
            .starts_with("conflicting-values 8 set by rule `gpus` | "));
}
