#include "effective/status.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

std::string api_version(const JobKind& kind) {
  return std::string(kind.group) + "/v1";
}

/// The status of an object of the kind in our words.
JobState judged(const JobKind& kind, const std::string& status) {
  SourceMap sources;
  Sink sink;
  const std::string text = "apiVersion: " + api_version(kind) +
                           "\nkind: " + std::string(kind.kind) + "\nmetadata: {name: a}\n" + status;
  const auto trees =
      read_yaml(sources, sources.add("a.yaml", text), sink, {}, Ambiguity::Kubernetes);
  REQUIRE(trees.size() == 1);
  const View object(trees.front(), trees.front().root());
  CHECK(JobKinds::builtin().find(object) == &kind);
  return judge_status(kind, object);
}

const JobKind& kind_of(std::string_view group, std::string_view kind) {
  for (const JobKind& each : JobKinds::builtin().all()) {
    if (each.group == group && each.kind == kind) return each;
  }
  FAIL(kind);
  return JobKinds::builtin().all().front();
}

std::string phase(const JobKind& kind, const std::string& status) {
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

/// A status in which the sign holds.
std::string status_with(const StatusSign& sign) {
  if (!sign.condition.empty()) {
    return "{conditions: [{type: " + std::string(sign.condition) + ", status: \"" +
           std::string(sign.is) + "\", reason: \"" + std::string(sign.reason) +
           "\", message: why}]}";
  }
  const bool counts = !sign.some.empty();
  const std::string path(counts ? sign.some : sign.field);
  const std::string value = counts ? "2" : std::string(sign.is);
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return "{" + path + ": " + value + "}";
  const std::string inner = "{" + path.substr(dot + 1) + ": " + value + "}";
  const bool is_list = path.substr(0, dot).ends_with("[]");
  return "{" + path.substr(0, dot - (is_list ? 2 : 0)) + ": " +
         (is_list ? "[{name: a}, " + inner + "]" : inner) + "}";
}

}  // namespace

TEST_CASE("every sign of a status decides where nothing in front of it holds") {
  for (const JobKind& kind : JobKinds::builtin().all()) {
    INFO(kind.kind << " of " << kind.group);
    std::set<std::string> seen;
    std::set<std::string> had_all;
    for (const StatusSign& sign : kind.signs) {
      const std::string status = status_with(sign);
      INFO(status);
      const JobState state = judged(kind, "status: " + status + "\n");
      const bool is_first = seen.insert(status).second;
      if (is_first) CHECK(state.phase == sign.phase);
      CHECK_FALSE(state.decided_by.empty());
      CHECK(state.notes.empty());
      if (!sign.condition.empty()) CHECK(state.message == "why");
      // The same again is for a job that has less than it wants.
      CHECK((is_first || had_all.contains(status)));
      if (!sign.all.empty()) had_all.insert(status);
    }
  }
}

TEST_CASE("the first condition of an object does not decide") {
  const JobKind& job = kind_of("batch", "Job");
  CHECK(phase(job, conditions({"!Suspended", "FailureTarget"}, "ready: 1")) == "failing");
  CHECK(phase(job, conditions({"FailureTarget", "Failed"})) == "failed");
  CHECK(phase(job, conditions({"SuccessCriteriaMet"}, "active: 1")) == "ending");
  CHECK(phase(job, conditions({"SuccessCriteriaMet", "Complete"})) == "succeeded");
  CHECK(phase(job, conditions({"!Complete", "!Failed"}, "active: 2, ready: 2")) == "running");
  const JobKind& pytorch = kind_of("kubeflow.org", "PyTorchJob");
  CHECK(phase(pytorch, conditions({"Created", "!Running", "Failed"})) == "failed");
  CHECK(phase(pytorch, conditions({"Created", "Running"})) == "running");
  CHECK(phase(pytorch, conditions({"Created", "!Running", "!Restarting", "Suspended"})) ==
        "suspended");
}

TEST_CASE("a job that is deleted says so, whatever its status says") {
  SourceMap sources;
  Sink sink;
  const auto trees = read_yaml(
      sources,
      sources.add("a.yaml",
                  "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, deletionTimestamp: "
                  "\"2026-05-01T10:00:00Z\"}\nstatus: {active: 1, ready: 1}\n"),
      sink, {}, Ambiguity::Kubernetes);
  REQUIRE(trees.size() == 1);
  const JobState state =
      judge_status(kind_of("batch", "Job"), View(trees.front(), trees.front().root()));
  REQUIRE(!state.notes.empty());
  CHECK(state.notes.front() ==
        "it was deleted at 2026-05-01T10:00:00Z, and goes when its pods and finalizers are gone");
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

TEST_CASE("a job runs when all that it wants do, and says how many do before") {
  struct Case {
    const char* group;
    const char* kind;
    const char* spec;
    const char* status;
    const char* phase;
    const char* because;
  };
  constexpr Case kCases[] = {
      {"batch", "Job", "{parallelism: 6, completions: 6}", "{active: 6, ready: 4}", "pending",
       "`status.ready` and `status.succeeded` count 4 of its 6 pods"},
      {"batch", "Job", "{parallelism: 6, completions: 6}", "{active: 6, ready: 6}", "running", ""},
      {"batch", "Job", "{parallelism: 6, completions: 6}", "{active: 4, ready: 4, succeeded: 2}",
       "running", ""},
      {"batch", "Job", "{parallelism: 6, completions: 2}", "{active: 2, ready: 2}", "running", ""},
      {"jobset.x-k8s.io", "JobSet", "{replicatedJobs: [{name: a}, {name: b, replicas: 3}]}",
       "{replicatedJobsStatus: [{ready: 1, active: 1}, {ready: 2, active: 3}]}", "pending",
       "count 3 of its 4 Jobs"},
      {"jobset.x-k8s.io", "JobSet", "{replicatedJobs: [{name: a}, {name: b, replicas: 3}]}",
       "{replicatedJobsStatus: [{ready: 0, succeeded: 1}, {ready: 3, active: 3}]}", "running", ""},
      {"trainer.kubeflow.org", "TrainJob", "{}",
       "{jobsStatus: [{ready: 0, active: 1}, {ready: 1, active: 1}]}", "pending",
       "1 of its 2 Jobs"},
      {"kubeflow.org", "PyTorchJob", "{pytorchReplicaSpecs: {Master: {}, Worker: {replicas: 3}}}",
       "{conditions: [{type: Created, status: \"True\"}, {type: Running, status: \"True\"}], "
       "replicaStatuses: {Master: {active: 1}, Worker: {active: 2}}}",
       "pending", "3 of its 4 pods"},
      {"kubeflow.org", "PyTorchJob",
       "{elasticPolicy: {minReplicas: 2}, pytorchReplicaSpecs: {Worker: {replicas: 4}}}",
       "{conditions: [{type: Running, status: \"True\"}], replicaStatuses: {Worker: {active: 3}}}",
       "running", ""},
      {"kubeflow.org", "MPIJob", "{mpiReplicaSpecs: {Launcher: {}, Worker: {replicas: 2}}}",
       "{conditions: [{type: Running, status: \"True\"}], "
       "replicaStatuses: {Launcher: {active: 1}, Worker: {active: 2}}}",
       "running", ""},
      {"batch.volcano.sh", "Job", "{minAvailable: 4, tasks: [{replicas: 4}]}",
       "{state: {phase: Running}, running: 3, pending: 1}", "pending", "3 of its 4 pods"},
      {"ray.io", "RayJob", "{}",
       "{jobStatus: RUNNING, jobDeploymentStatus: Running, "
       "rayClusterStatus: {desiredWorkerReplicas: 4, readyWorkerReplicas: 1}}",
       "pending", "1 of its 4 workers"},
  };
  for (const Case& each : kCases) {
    INFO(each.kind << ' ' << each.status);
    const JobState state =
        judged(kind_of(each.group, each.kind),
               "spec: " + std::string(each.spec) + "\nstatus: " + each.status + "\n");
    CHECK(name_of(state.phase) == each.phase);
    CHECK(state.decided_by.find(each.because) != std::string::npos);
    CHECK(state.notes.empty());
  }
}

TEST_CASE("a queue that took the nodes away is distinguished from one that has none yet") {
  const JobKind& workload = kind_of("kueue.x-k8s.io", "Workload");
  CHECK(phase(workload, conditions({"!QuotaReserved", "Evicted", "Preempted"})) == "suspended");
  CHECK(phase(workload, conditions({"!QuotaReserved"})) == "pending");
  CHECK(phase(workload, conditions({"QuotaReserved", "Admitted", "PodsReady", "!Evicted"})) ==
        "running");
}

TEST_CASE("a program of Ray that failed may be started again") {
  const JobKind& ray = kind_of("ray.io", "RayJob");
  CHECK(phase(ray, "{jobStatus: FAILED, jobDeploymentStatus: Running}") == "failing");
  CHECK(phase(ray, "{jobStatus: FAILED, jobDeploymentStatus: Retrying}") == "restarting");
  CHECK(phase(ray, "{jobStatus: FAILED, jobDeploymentStatus: Failed}") == "failed");
  CHECK(phase(ray, "{jobStatus: SUCCEEDED, jobDeploymentStatus: Complete}") == "succeeded");
  CHECK(judged(ray, "status: {jobDeploymentStatus: Failed, reason: AppFailed, message: m}\n")
            .reason == "AppFailed");
}

TEST_CASE("two ends at once are reported, and no status is no guess") {
  const JobKind& job = kind_of("batch", "Job");
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
