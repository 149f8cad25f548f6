#include "effective/status.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

std::string api_version(const StatusKind& kind) {
  return std::string(kind.group) + "/v1";
}

/// What is said of an object of the kind with this status.
JobState judged(const StatusKind& kind, const std::string& status) {
  SourceMap sources;
  Sink sink;
  const std::string text = "apiVersion: " + api_version(kind) +
                           "\nkind: " + std::string(kind.kind) + "\nmetadata: {name: a}\n" + status;
  const auto trees =
      read_yaml(sources, sources.add("a.yaml", text), sink, {}, Ambiguity::Kubernetes);
  REQUIRE(trees.size() == 1);
  const View object(trees.front(), trees.front().root());
  CHECK(find_status_kind(object) == &kind);
  return judge_status(kind, object);
}

const StatusKind& kind_of(std::string_view group, std::string_view kind) {
  for (const StatusKind& each : status_kinds()) {
    if (each.group == group && each.kind == kind) return each;
  }
  FAIL(kind);
  return status_kinds().front();
}

std::string phase(const StatusKind& kind, const std::string& status) {
  return std::string(name_of(judged(kind, "status: " + status + "\n").phase));
}

std::string conditions(std::initializer_list<std::string> types, const std::string& more = "") {
  std::string list;
  for (const std::string& type : types) {
    const bool off = type.front() == '!';
    list += (list.empty() ? "" : ", ") + ("{type: " + type.substr(off ? 1 : 0) + ", status: \"") +
            (off ? "False" : "True") + "\"}";
  }
  return "{" + more + (more.empty() ? "" : ", ") + "conditions: [" + list + "]}";
}

}  // namespace

TEST_CASE("every sign of a status decides where nothing in front of it holds") {
  for (const StatusKind& kind : status_kinds()) {
    INFO(kind.kind << " of " << kind.group);
    CHECK(kind.source.find('/') != std::string_view::npos);
    std::set<std::string> seen;
    for (const StatusSign& sign : kind.signs) {
      std::string status;
      if (sign.path.starts_with("conditions.")) {
        status = "{conditions: [{type: " + std::string(sign.path.substr(11)) + ", status: \"" +
                 std::string(sign.value) + "\", reason: \"" + std::string(sign.reason) +
                 "\", message: why}]}";
      } else {
        const std::string value = sign.value == ">0" ? "2" : std::string(sign.value);
        const std::string path(sign.path);
        const std::size_t list = path.find("[].");
        const std::size_t dot = path.find('.');
        if (list != std::string::npos) {
          status = "{" + path.substr(0, list) + ": [{name: a}, {" + path.substr(list + 3) + ": " +
                   value + "}]}";
        } else if (dot != std::string::npos) {
          status = "{" + path.substr(0, dot) + ": {" + path.substr(dot + 1) + ": " + value + "}}";
        } else {
          status = "{" + path + ": " + value + "}";
        }
      }
      INFO(status);
      const JobState state = judged(kind, "status: " + status + "\n");
      CHECK(state.phase == sign.phase);
      CHECK_FALSE(state.decided_by.empty());
      CHECK(state.notes.empty());
      if (sign.path.starts_with("conditions.")) CHECK(state.message == "why");
      CHECK(seen.insert(status).second);
    }
  }
}

TEST_CASE("the first condition of an object does not decide") {
  const StatusKind& job = kind_of("batch", "Job");
  CHECK(phase(job, conditions({"!Suspended", "FailureTarget"}, "ready: 1")) == "failing");
  CHECK(phase(job, conditions({"FailureTarget", "Failed"})) == "failed");
  CHECK(phase(job, conditions({"SuccessCriteriaMet"}, "active: 1")) == "ending");
  CHECK(phase(job, conditions({"SuccessCriteriaMet", "Complete"})) == "succeeded");
  CHECK(phase(job, conditions({"!Complete", "!Failed"}, "active: 2, ready: 2")) == "running");
  const StatusKind& pytorch = kind_of("kubeflow.org", "PyTorchJob");
  CHECK(phase(pytorch, conditions({"Created", "!Running", "Failed"})) == "failed");
  CHECK(phase(pytorch, conditions({"Created", "Running"})) == "running");
  CHECK(phase(pytorch, conditions({"Created", "!Running", "!Restarting", "Suspended"})) ==
        "suspended");
}

TEST_CASE("pods that only wait do not make a job run") {
  CHECK(phase(kind_of("batch", "Job"), "{active: 2, ready: 0}") == "pending");
  CHECK(phase(kind_of("jobset.x-k8s.io", "JobSet"),
              "{replicatedJobsStatus: [{ready: 0, active: 1}, {ready: 0, active: 1}]}") ==
        "pending");
  CHECK(phase(kind_of("jobset.x-k8s.io", "JobSet"),
              "{restarts: 2, replicatedJobsStatus: [{ready: 0, active: 1}]}") == "restarting");
  CHECK(phase(kind_of("jobset.x-k8s.io", "JobSet"),
              "{restarts: 2, replicatedJobsStatus: [{ready: 1, active: 1}]}") == "running");
}

TEST_CASE("a queue that took the nodes away is told from one that has none yet") {
  const StatusKind& workload = kind_of("kueue.x-k8s.io", "Workload");
  CHECK(phase(workload, conditions({"!QuotaReserved", "Evicted", "Preempted"})) == "suspended");
  CHECK(phase(workload, conditions({"!QuotaReserved"})) == "pending");
  CHECK(phase(workload, conditions({"QuotaReserved", "Admitted", "PodsReady", "!Evicted"})) ==
        "running");
}

TEST_CASE("a program of Ray that failed may be started again") {
  const StatusKind& ray = kind_of("ray.io", "RayJob");
  CHECK(phase(ray, "{jobStatus: FAILED, jobDeploymentStatus: Running}") == "failing");
  CHECK(phase(ray, "{jobStatus: FAILED, jobDeploymentStatus: Retrying}") == "restarting");
  CHECK(phase(ray, "{jobStatus: FAILED, jobDeploymentStatus: Failed}") == "failed");
  CHECK(phase(ray, "{jobStatus: SUCCEEDED, jobDeploymentStatus: Complete}") == "succeeded");
  CHECK(judged(ray, "status: {jobDeploymentStatus: Failed, reason: AppFailed, message: m}\n")
            .reason == "AppFailed");
}

TEST_CASE("two ends at once are told, and no status is no guess") {
  const StatusKind& job = kind_of("batch", "Job");
  const JobState both = judged(job, "status: " + conditions({"Failed", "Complete"}) + "\n");
  REQUIRE(both.notes.size() == 1);
  CHECK(both.notes.front().find("failed, too") != std::string::npos);
  const JobState none = judged(job, "");
  CHECK(none.phase == JobPhase::Pending);
  CHECK(none.decided_by.empty());
  CHECK(none.notes.size() == 1);
  const JobState unknown = judged(job, "status: {conditions: [{type: Odd, status: \"True\"}]}\n");
  CHECK(unknown.decided_by.empty());
  CHECK(unknown.notes.size() == 1);
}
