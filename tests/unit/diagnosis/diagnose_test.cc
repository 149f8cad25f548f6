// What is found in dumps: each finding by a case of finding_cases.yaml, and the order of several.
#include "diagnosis/diagnose.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "unit/diagnosis/diagnosed.h"

using namespace trainyard;
using namespace trainyard::test;
using trainyard::testing::repository;

namespace {

std::string dump_of(const SourceMap& sources, View given) {
  const auto whole = [&](std::string_view key, const std::string& standard) {
    const View value = get(given, key);
    return value ? std::string(sources.text(value->span)) : standard;
  };
  const View event = get(given, "event");
  const bool of_pod = string_at(event, "of") == "pod";
  if (const View other = get(given, "of")) return std::string(sources.text(other->span)) + "\n";
  std::string text =
      "{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: ml, labels: {a: b}}, "
      "spec: {parallelism: 1, completions: 1}, status: " +
      whole("job", "{active: 1}") +
      "}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: train-0, namespace: ml, "
      "labels: {batch.kubernetes.io/job-completion-index: \"0\"}, "
      "ownerReferences: [{kind: Job, name: train}]" +
      fields(sources, get(given, "meta")) +
      "}, spec: {nodeName: gpu-1, schedulingGates: [{name: kueue.x-k8s.io/topology}], "
      "containers: [{name: main, image: r/i:1, resources: " +
      whole("resources", "{limits: {memory: 64Gi}}") +
      "}], "
      "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {podIP: 10.0.0.1" +
      fields(sources, get(given, "pod")) + ", containerStatuses: [{name: main, restartCount: 3" +
      fields(sources, get(given, "container")) + "}]}}\n";
  if (event) {
    text +=
        "---\n{apiVersion: v1, kind: Event, metadata: {name: e, namespace: ml}, "
        "involvedObject: {namespace: ml, ";
    text += of_pod ? "kind: Pod, name: train-0}" : "kind: Job, name: train}";
    text += fields(sources, event) + "}\n";
  }
  if (const View claim = get(given, "claim")) {
    text +=
        "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, "
        "namespace: ml}" +
        fields(sources, claim) + "}\n";
  }
  if (const View workload = get(given, "workload")) {
    text +=
        "---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: job-train, "
        "namespace: ml, ownerReferences: [{kind: Job, name: train}]}" +
        fields(sources, workload) + "}\n";
  }
  if (get(given, "node")) {
    text +=
        "---\n{apiVersion: v1, kind: Node, metadata: {name: gpu-1}, status: " + whole("node", "") +
        "}\n";
  }
  return text;
}

std::string log_of(View given) {
  const std::string_view line = string_at(given, "log");
  return line.empty() ? std::string()
                      : "[pod/train-0/main] 2026-05-01T10:00:00.5Z " + std::string(line) + "\n";
}

}  // namespace

TEST_CASE("the files of findings have no fault") {
  for (const FindingFault& each : FindingRules::builtin().faults()) FAIL_CHECK(each.message);
  CHECK(FindingRules::builtin().all().size() > 60);
}

TEST_CASE("an edit without a field of a spec, without a value or with an odd factor is a fault") {
  const auto faults = [](const std::string& edit) {
    SourceMap sources;
    Sink sink;
    const std::string text =
        "- {id: a, for: job, when: 'true', says: b, class: program, retry: pointless, role: root, "
        "certainty: certain, edit: " +
        edit + "}\n";
    const std::vector<Tree> files = read_yaml(sources, sources.add("a.yaml", text), sink);
    return FindingRules(files).faults().size();
  };
  CHECK(faults("{field: spec.nodes, value: '\"2\"'}") == 0);
  CHECK(faults("{field: spec.nodes, times: 2}") == 0);
  CHECK(faults("{field: nodes, value: '\"2\"'}") == 1);
  CHECK(faults("{field: spec.nodes}") == 1);
  CHECK(faults("{field: spec.nodes, value: '1 +'}") == 1);
  CHECK(faults("{field: spec.nodes, times: 1}") == 1);
}

TEST_CASE("every finding is shown by a case, in which it comes first") {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(
      "cases.yaml", testing::read_file(repository() / "tests/unit/diagnosis/finding_cases.yaml"));
  std::set<std::string_view> shown;
  for (const Tree& tree : read_yaml(sources, file, sink)) {
    if (tree.size() == 0) continue;
    const View given(tree, tree.root());
    const std::string_view wanted = string_at(given, "finding");
    const std::string text = dump_of(sources, given);
    INFO(text);
    const Diagnosed found(text, log_of(given));
    const std::vector<std::string> ids = found.ids();
    REQUIRE_FALSE(ids.empty());
    CHECK(ids.front() == wanted);
    CHECK_FALSE(found.diagnosis.findings.front().text.empty());
    CHECK_THAT(found.diagnosis.findings.front().text,
               Catch::Matchers::ContainsSubstring(std::string(string_at(given, "says"))));
    for (const FindingRule& rule : FindingRules::builtin().all()) {
      if (rule.id == wanted) shown.insert(rule.id);
    }
  }
  for (const FindingRule& rule : FindingRules::builtin().all()) {
    INFO(rule.id);
    CHECK(shown.contains(rule.id));
  }
}

namespace {

/// A pod of the Job `train`, whose container ended so.
std::string ended_pod(int rank, const std::string& state) {
  const std::string number = std::to_string(rank);
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: train-" + number +
         ", labels: {batch.kubernetes.io/job-completion-index: \"" + number +
         "\"}, ownerReferences: [{kind: Job, name: train}]}\n"
         "spec: {containers: [{name: main, image: a, resources: {limits: {memory: 64Gi}}}]}\n"
         "status: {containerStatuses: [{name: main, state: {terminated: " +
         state + "}}]}\n";
}

const std::string kFailedJob =
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec: {parallelism: 4}\n"
    "status: {conditions: [{type: Failed, status: \"True\", reason: BackoffLimitExceeded}]}\n";

std::string exit_1_at(const std::string& second) {
  return "{reason: Error, exitCode: 1, finishedAt: \"2026-05-01T10:00:" + second + "Z\"}";
}

}  // namespace

TEST_CASE("objects that own each other, or nothing, end no search and find no pods") {
  const std::string loop =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, ownerReferences: [{kind: Thing, name: "
      "t}]}\nstatus: {active: 1}\n---\napiVersion: x/v1\nkind: Thing\nmetadata: {name: t, "
      "ownerReferences: [{kind: Job, name: a}]}\n---\n- 1\n---\nkind: Pod\n---\nkind: Event\n";
  const Diagnosed found(loop, "no prefix\n[pod/x\n[pod/a] b\n");
  CHECK(found.diagnosis.status.pods.empty());
  CHECK(found.logs.empty());
}

TEST_CASE("the rank that failed by itself comes first, and its peers follow from it") {
  const Diagnosed found(
      kFailedJob + ended_pod(0, exit_1_at("44")) +
          ended_pod(1, "{reason: OOMKilled, exitCode: 137, finishedAt: \"2026-05-01T10:00:40Z\"}") +
          ended_pod(2, exit_1_at("45")) + ended_pod(3, exit_1_at("44")),
      "");
  CHECK(found.ids() ==
        std::vector<std::string>{"container-out-of-memory", "retries-used-up", "program-failed"});
  const std::vector<Finding>& findings = found.diagnosis.findings;
  CHECK(findings[0].subjects.size() == 1);
  CHECK(findings[0].subjects[0].rank == 1);
  CHECK(findings[0].text.find("64Gi") != std::string::npos);
  CHECK(findings[2].role == FindingRole::Cascade);
  CHECK(findings[2].subjects.size() == 3);
}

TEST_CASE("without a certain cause the first error of a program stays the cause") {
  const Diagnosed found(kFailedJob + ended_pod(0, exit_1_at("44")) + ended_pod(1, exit_1_at("40")),
                        "");
  REQUIRE(found.diagnosis.findings.size() == 2);
  CHECK(found.ids().front() == "program-failed");
  CHECK(found.diagnosis.findings.front().role == FindingRole::Root);
}

TEST_CASE("a line of a log tells what an exit code does not") {
  const std::string log =
      "[pod/train-1/main] 2026-05-01T10:00:39.1Z ModuleNotFoundError: No module named 'x'\n"
      "[pod/train-0/main] 2026-05-01T10:00:43.1Z Connection reset by peer\n";
  const Diagnosed found(kFailedJob + ended_pod(0, exit_1_at("44")) + ended_pod(1, exit_1_at("40")),
                        log);
  CHECK(found.ids().front() == "module-missing");
  CHECK(found.diagnosis.findings.front().subjects[0].rank == 1);
}

TEST_CASE("pods of Jobs that a JobSet has made are its pods, and those Jobs no jobs of their own") {
  const std::string text =
      "apiVersion: v1\nkind: List\nitems:\n"
      "- {apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, uid: u1}}\n"
      "- {apiVersion: batch/v1, kind: Job, metadata: {name: s-a-0, ownerReferences: [{kind: "
      "JobSet, name: s, uid: u1}]}}\n"
      "- {apiVersion: v1, kind: Pod, metadata: {name: s-a-0-0, ownerReferences: [{kind: Job, name: "
      "s-a-0}]}}\n";
  const Diagnosed found(text, "");
  CHECK(found.diagnosis.status.pods.size() == 1);
  CHECK(found.ids() == std::vector<std::string>{"controller-silent"});
}
