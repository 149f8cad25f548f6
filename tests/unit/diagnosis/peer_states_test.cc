// States of a cluster for which clients of other systems have a wrong answer: peer_states.yaml.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "diagnosis/job_status.h"
#include "file_text.h"
#include "folders.h"
#include "unit/diagnosis/diagnosed.h"

using namespace trainyard;
using namespace trainyard::test;
using trainyard::testing::repository;

namespace {

std::string text_at(const SourceMap& sources, View map, std::string_view key,
                    const std::string& standard) {
  const View value = get(map, key);
  return value ? std::string(sources.text(value->span)) : standard;
}

std::string pod_of(const SourceMap& sources, View given) {
  const std::string rank(sources.text(get(given, "rank")->span));
  const bool has_labels = static_cast<bool>(get(get(given, "meta"), "labels"));
  const std::string labels =
      ", labels: {batch.kubernetes.io/job-name: train, "
      "batch.kubernetes.io/job-completion-index: \"" +
      rank + "\"}";
  const std::string spec =
      "{containers: [{name: main, image: 'r/i:1', resources: {limits: {memory: 64Gi}}}], "
      "initContainers: [{name: fetch, image: 'r/i:1'}], nodeName: gpu-" +
      rank + "}";
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " +
         text_at(sources, given, "name", "train-" + rank) + ", namespace: ml" +
         (has_labels ? "" : labels) + fields(sources, get(given, "meta")) +
         "}, spec: " + text_at(sources, given, "spec", spec) +
         ", status: {phase: " + std::string(string_at(given, "phase")) +
         fields(sources, get(given, "status")) + "}}\n";
}

std::string dump_of_state(const SourceMap& sources, View given) {
  const std::string ranks = text_at(sources, given, "ranks", "4");
  const std::string job =
      "{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: ml}, spec: "
      "{parallelism: " +
      ranks + ", completions: " + ranks +
      ", activeDeadlineSeconds: 7200, backoffLimit: 0}, status: " +
      text_at(sources, given, "job", "{}") + "}";
  std::string text = text_at(sources, given, "of", job) + "\n";
  for (const View pod : items_at(given, "pods")) text += pod_of(sources, pod);
  for (const View other : items_at(given, "others")) {
    text += "---\n" + std::string(sources.text(other->span)) + "\n";
  }
  return text;
}

/// All that a person would read, in short.
std::string said(const Diagnosis& diagnosis, const JobStatus& status) {
  std::string text = status.state.decided_by + "\n";
  for (const std::string& note : status.state.notes) text += note + "\n";
  for (const PodStatus& pod : status.pods) text += "role " + std::string(pod.rank.role) + "\n";
  for (const Finding& each : diagnosis.findings) {
    text += std::string(each.rule->id) + ": " + each.text;
    text += each.subjects.size() == 1 ? " rank" : " ranks";
    for (const FindingSubject& subject : each.subjects) {
      text += " " + std::to_string(subject.rank.value_or(-1));
    }
    for (const FindingSubject& subject : each.subjects) {
      if (!subject.container.empty()) text += " container " + subject.container;
    }
    text += each.role == FindingRole::Cascade ? " follows\n" : "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("each state of a cluster that others report wrong is reported right") {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add(
      "states.yaml", testing::read_file(repository() / "tests/unit/diagnosis/peer_states.yaml"));
  std::size_t states = 0;
  for (const Tree& tree : read_yaml(sources, file, sink)) {
    if (tree.size() == 0) continue;
    ++states;
    const View given(tree, tree.root());
    const std::string_view line = string_at(given, "log");
    const std::string dump = dump_of_state(sources, given);
    const Diagnosed found(dump, line.empty() ? std::string()
                                             : "[pod/train-0/main] 2026-05-01T10:00:00.5Z " +
                                                   std::string(line) + "\n");
    const JobStatus& status = found.diagnosis.status;
    const std::string text = said(found.diagnosis, status);
    INFO(string_at(given, "state") << "\n" << dump << "\n" << text);
    CHECK(name_of(status.state.phase) == string_at(given, "phase"));
    const std::vector<std::string> ids = found.ids();
    CHECK((ids.empty() ? std::string() : ids.front()) == string_at(given, "first"));
    if (get(given, "with")) {
      CHECK(std::ranges::find(ids, string_at(given, "with")) != ids.end());
    }
    for (const View part : entries_at(given, "says")) {
      CHECK(text.find(string_of(part)) != std::string::npos);
    }
    if (get(given, "counts")) {
      CHECK(std::to_string(status.running) + "/" + std::to_string(status.wanted) ==
            string_at(given, "counts"));
    }
  }
  CHECK(sink.all().empty());
  CHECK(states >= 60);
}
