// What a dump says of one job.
#include "diagnosis/job_status.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "diagnosis/ages.h"
#include "growth.h"
#include "source/source_map.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// The status of the first job of a text.
struct Read {
  explicit Read(const std::string& text)
      : trees(read_yaml(sources, sources.add("dump.yaml", text), sink, {}, Ambiguity::Kubernetes)) {
    for (const Tree& tree : trees) {
      if (tree.size() != 0) dump.add(View(tree, tree.root()));
    }
    const View job = dump.jobs().at(0);
    status = job_status(dump, job, *JobKinds::builtin().find(job));
  }

  SourceMap sources;
  Sink sink;
  std::vector<Tree> trees;
  ClusterDump dump;
  JobStatus status;
};

std::string job(const std::string& status) {
  return "{apiVersion: batch/v1, kind: Job, metadata: {name: a, creationTimestamp: "
         "2026-05-01T10:00:00Z}, spec: {parallelism: 2, completions: 2}, status: " +
         status + "}\n";
}

std::string pod(const std::string& name, const std::string& status, const std::string& more = "",
                const std::string& spec = "{}") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", ownerReferences: [{kind: Job, name: a}]" + more + "}, spec: " + spec +
         ", status: " + status + "}\n";
}

/// The state of one pod.
std::string state(const std::string& status, const std::string& more = "",
                  const std::string& spec = "{}") {
  return Read(job("{active: 1}") + pod("p", status, more, spec)).status.pods.at(0).state;
}

}  // namespace

TEST_CASE("objects without anything in them have a status") {
  const Read bare("{apiVersion: batch/v1, kind: Job, metadata: {name: a}}\n" + pod("p", "{}"));
  CHECK(bare.status.state.phase == JobPhase::Pending);
  CHECK(bare.status.since.empty());
  REQUIRE(bare.status.pods.size() == 1);
  CHECK(bare.status.pods[0].state == "Unknown");
  CHECK_FALSE(bare.status.pods[0].runs);
  const Read odd(job("7") +
                 pod("p", "{containerStatuses: [3, {name: [], restartCount: x, state: 4}]}"));
  CHECK(odd.status.pods.at(0).containers.size() == 2);
}

TEST_CASE("ages are those of kubectl, and what is no time has none") {
  CHECK(age_text(seconds_between("", "2026-05-01T10:00:00Z")) == "-");
  CHECK(age_text(seconds_between("yesterday", "2026-05-01T10:00:00Z")) == "-");
  CHECK(age_text(seconds_between("2026-05-01T10:00:01Z", "2026-05-01T10:00:00Z")) == "-");
  CHECK(age_text(0) == "0s");
  CHECK(age_text(119) == "119s");
  CHECK(age_text(120) == "2m");
  CHECK(age_text(9 * 60 + 30) == "9m30s");
  CHECK(age_text(179 * 60 + 59) == "179m");
  CHECK(age_text(3 * 3600) == "3h");
  CHECK(age_text(3 * 3600 + 12 * 60) == "3h12m");
  CHECK(age_text(47 * 3600) == "47h");
  CHECK(age_text(52 * 3600) == "2d4h");
  CHECK(age_text(std::int64_t{30} * 86400) == "30d");
  CHECK(age_text(std::int64_t{800} * 86400) == "2y70d");
  CHECK(age_text(std::int64_t{9} * 365 * 86400) == "9y");
}

TEST_CASE("the state of a pod is that of kubectl's column") {
  const std::string ended = "terminated: {exitCode: 1, reason: Error}";
  const std::string init = "{initContainers: [{name: i}, {name: s, restartPolicy: Always}]}";
  CHECK(state("{phase: Running, containerStatuses: [{name: m, state: {running: {}}}]}") ==
        "Running");
  CHECK(state("{phase: Pending}") == "Pending");
  CHECK(state("{phase: Failed, reason: Evicted}") == "Evicted");
  CHECK(state("{phase: Failed, containerStatuses: [{name: m, state: {" + ended + "}}]}") ==
        "Error");
  CHECK(
      state(
          "{phase: Failed, containerStatuses: [{name: m, state: {terminated: {exitCode: 3}}}]}") ==
      "ExitCode:3");
  CHECK(state("{phase: Running, containerStatuses: [{name: s, state: {terminated: {exitCode: 0, "
              "reason: Completed}}}, {name: m, state: {" +
              ended + "}}]}") == "Error");
  CHECK(state("{phase: Running, containerStatuses: [{name: m, state: {waiting: {reason: "
              "CrashLoopBackOff}}}]}") == "CrashLoopBackOff");
  CHECK(state("{phase: Running}", ", deletionTimestamp: 2026-05-01T10:00:00Z") == "Terminating");
  CHECK(state("{phase: Pending, conditions: [{type: PodScheduled, status: \"False\", reason: "
              "Unschedulable}]}") == "Unschedulable");
  CHECK(state("{phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: "
              "0}}}, {name: s, state: {waiting: {reason: PodInitializing}}}]}",
              "", init) == "Init:1/2");
  CHECK(state("{phase: Pending, initContainerStatuses: [{name: i, state: {" + ended + "}}]}", "",
              init) == "Init:Error");
  CHECK(state("{phase: Running, initContainerStatuses: [{name: i, state: {terminated: {exitCode: "
              "0}}}, {name: s, state: {running: {}}}], containerStatuses: [{name: m, state: "
              "{running: {}}}]}",
              "", init) == "Running");
}

TEST_CASE("a pod runs when it is ready and is not deleted") {
  const std::string ready = "{phase: Running, conditions: [{type: Ready, status: \"True\"}]}";
  const Read pods(job("{active: 5}") + pod("a", ready) +
                  pod("b", ready, ", deletionTimestamp: 2026-05-01T10:00:00Z") +
                  pod("c", "{phase: Running, conditions: [{type: Ready, status: \"False\"}]}") +
                  pod("d", "{phase: Running}") + pod("e", "{phase: Succeeded}"));
  CHECK(pods.status.running == 2);
  CHECK(pods.status.succeeded == 1);
  CHECK(pods.status.wanted == 2);
}

TEST_CASE("a kind whose status counts no pods runs when all its pods in the dump do") {
  const std::string set =
      "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: a}, "
      "status: "
      "{conditions: [{type: Available, status: \"True\"}]}}\n";
  const auto member = [](const std::string& name, const std::string& phase) {
    return "---\n{kind: Pod, metadata: {name: " + name +
           ", labels: {leaderworkerset.sigs.k8s.io/name: a}}, status: {phase: " + phase + "}}\n";
  };
  CHECK(Read(set + member("x", "Running") + member("y", "Running")).status.state.phase ==
        JobPhase::Running);
  const Read partly(set + member("x", "Running") + member("y", "Pending"));
  CHECK(partly.status.state.phase == JobPhase::Pending);
  CHECK(partly.status.state.decided_by == "1 of its 2 pods run");
  CHECK(partly.status.state.notes ==
        std::vector<std::string>{"its own status says that it is running, by condition "
                                 "`Available`, which is True"});
}

TEST_CASE("a job that pods keep from running is pending since the last of them stopped") {
  const Read fallen(
      job("{active: 2, ready: 2, conditions: []}") + pod("x", "{phase: Running}") +
      pod("y",
          "{phase: Running, startTime: \"2026-05-01T10:00:01Z\", conditions: [{type: Ready, "
          "status: \"False\"}], containerStatuses: [{name: main, state: {waiting: {reason: "
          "CrashLoopBackOff}}, lastState: {terminated: {finishedAt: "
          "\"2026-05-01T12:00:00Z\"}}}]}"));
  CHECK(fallen.status.state.phase == JobPhase::Pending);
  CHECK(fallen.status.state.decided_by == "1 of its 2 pods run");
  CHECK(fallen.status.state.reason.empty());
  CHECK(fallen.status.since == "2026-05-01T12:00:00Z");
}

TEST_CASE("a job whose status is not known is as far as the first job that it made") {
  const std::string nemo =
      "{apiVersion: nvidia.com/v1alpha1, kind: NemoTrainingJob, metadata: {name: n}, status: "
      "{state: x}}\n";
  CHECK(Read(nemo).status.state.notes.size() == 1);
  const Read made(nemo +
                  "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: m, ownerReferences: "
                  "[{apiVersion: nvidia.com/v1alpha1, kind: NemoTrainingJob, name: n}]}, status: "
                  "{conditions: [{type: Failed, status: \"True\"}]}}\n");
  CHECK(made.status.state.phase == JobPhase::Failed);
  CHECK(made.status.state.decided_by.find("of Job/m, which it made") != std::string::npos);
}

TEST_CASE("the same event of many pods is one, the newest first") {
  std::string text = job("{active: 2}");
  for (const char* name : {"a", "b"}) {
    text += pod(name, "{}") + "---\n{kind: Event, metadata: {name: e" + name +
            "}, reason: Pulled, message: m, count: 3, lastTimestamp: 2026-05-01T10:00:00Z, "
            "involvedObject: {kind: Pod, name: " +
            name + "}}\n";
  }
  text +=
      "---\n{kind: Event, metadata: {name: e}, reason: Failed, note: why, eventTime: "
      "2026-05-01T10:00:05.000000Z, regarding: {kind: Job, name: a}}\n";
  const Read read(text);
  REQUIRE(read.status.events.size() == 2);
  CHECK(read.status.events[0].reason == "Failed");
  CHECK(read.status.events[0].message == "why");
  CHECK(read.status.events[1].count == 6);
  CHECK(read.status.events[1].objects == 2);
}

TEST_CASE("the time for the status of a job grows with its pods") {
  const double found = testing::growth(600, [](std::size_t pods) {
    std::string text = job("{active: 2}");
    for (std::size_t i = 0; i < pods; ++i) {
      const std::string name = "p" + std::to_string(i);
      text += pod(name, "{phase: Running}") + "---\n{kind: Event, metadata: {name: e" + name +
              "}, reason: Pulled, message: m" + name +
              ", involvedObject: {kind: Pod, name: " + name + "}}\n";
    }
    REQUIRE(Read(text).status.pods.size() == pods);
  });
  CHECK(found < testing::kMostGrowth);
}
