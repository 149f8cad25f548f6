// Changes of a spec that findings propose: what they are, and that the changed spec builds.
#include "driver/diagnose/spec_edits.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "driver/diagnose/diagnose_dump.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

const std::string kSpec =
    "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: train}\n"
    "spec:\n  target: job\n  image: a:1\n  run: {script: train.py}\n  nodes: 2\n  gpusPerNode: 8\n";

/// What a cluster has of a job that failed in one way.
struct Failure {
  std::string condition = {};  // of the job
  std::string state = {};      // of the container
  std::string status = {};     // of the pod, beside it
  std::string log = {};
};

std::string dump_of(const Failure& failure) {
  std::string text =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\n"
      "spec: {parallelism: 1, activeDeadlineSeconds: 3600, backoffLimit: 3}\n"
      "status: {conditions: [" +
      failure.condition + "]}\n";
  if (failure.state.empty() && failure.status.empty()) return text;
  return text +
         "---\napiVersion: v1\nkind: Pod\nmetadata: {name: train-0, ownerReferences: [{kind: Job, "
         "name: train}]}\n"
         "spec: {activeDeadlineSeconds: 600, containers: [{name: main, image: a, resources: "
         "{limits: {memory: 64Gi}}, volumeMounts: [{name: dshm, mountPath: /dev/shm}]}, {name: "
         "side, image: b}], volumes: [{name: dshm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]}\n"
         "status: {" +
         failure.status + "containerStatuses: [{name: main, state: {" + failure.state + "}}]}\n";
}

/// The change that the finding `id` proposes for a spec; nothing where it proposes none.
std::optional<SpecEdit> edit_for(const std::string& id, const Failure& failure,
                                 std::map<std::string, std::string> files) {
  MemoryFileSystem disk;
  disk.files = std::move(files);
  disk.files["dump.yaml"] = dump_of(failure);
  disk.files["log.txt"] = "[pod/train-0/main] 2026-05-01T10:00:00.5Z " + failure.log + "\n";
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  const DiagnosedDump dump = diagnose_dump(
      session,
      {.dump = {{"dump.yaml"}, {"log.txt"}, ""}, .spec = "spec.yaml", .cluster = "", .target = ""});
  for (const Diagnostic& each : session.sink.sorted()) {
    if (each.severity == Severity::Error) FAIL_CHECK(each.message);
  }
  for (const Diagnosis& each : dump.jobs) {
    for (const Finding& finding : each.findings) {
      if (finding.rule->id == id) return edit_of(dump, each, finding);
    }
  }
  FAIL_CHECK("no finding " << id);
  return std::nullopt;
}

/// The text with the change made by hand, at the place that it names or below a line of its own.
std::string changed(std::string text, const SpecEdit& edit) {
  if (edit.line == 0) {
    const std::string field = edit.field.substr(std::string("spec.").size());
    const std::size_t dot = field.find('.');
    return text + "  " + field.substr(0, dot) + ": {" + field.substr(dot + 1) + ": " +
           edit.proposed + "}\n";
  }
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < edit.line; ++line) begin = text.find('\n', begin) + 1;
  begin += edit.column - 1;
  REQUIRE(text.compare(begin, edit.now.size(), edit.now) == 0);
  return text.replace(begin, edit.now.size(), edit.proposed);
}

struct Row {
  std::string id;
  Failure failure;
  std::string stated;              // lines of a spec that state the field
  std::string now_and_proposed;    // then
  std::string proposed_otherwise;  // for a spec that does not
};

const std::vector<Row> kRows = {
    {"container-out-of-memory",
     {.state = "terminated: {reason: OOMKilled, exitCode: 137}"},
     "  resources:\n    memory: 1.5Gi\n",
     "1.5Gi 3Gi",
     "128Gi"},
    {"bus-error",
     {.state = "terminated: {reason: Error, exitCode: 135}"},
     "  resources: {memory: 64Gi, sharedMemory: 0.5Gi}\n",
     "0.5Gi 1Gi",
     "16Gi"},
    {"bus-error-in-log",
     {.state = "terminated: {reason: Error, exitCode: 1}",
      .log = "RuntimeError: DataLoader worker is killed by signal: Bus error. It is possible that "
             "dataloader's workers are out of shared memory."},
     "  resources: {memory: 64Gi, sharedMemory: 6Gi}\n",
     "6Gi 12Gi",
     "16Gi"},
    {"image-runs-as-root",
     {.state = "waiting: {reason: CreateContainerConfigError, message: container has runAsNonRoot "
               "and image will run as root}"},
     "",
     "",
     "1000"},
    {"job-deadline",
     {.condition = "{type: Failed, status: 'True', reason: DeadlineExceeded}"},
     "  lifecycle:\n    deadline: 12h\n",
     "12h 24h",
     "7200s"},
    {"pod-deadline",
     {.state = "waiting: {}", .status = "reason: DeadlineExceeded, "},
     "  lifecycle: {deadline: 90m}\n",
     "90m 180m",
     "1200s"},
    {"retries-used-up",
     {.condition = "{type: Failed, status: 'True', reason: BackoffLimitExceeded}"},
     "  lifecycle: {retries: 2}\n",
     "2 4",
     "6"},
    {"evicted-for-disk",
     {.state = "waiting: {}",
      .status = "reason: Evicted, message: 'low on resource: ephemeral-storage', "},
     "  resources: {ephemeralStorage: 50Gi}\n",
     "50Gi 100Gi",
     ""},
};

}  // namespace

TEST_CASE("the change that a finding proposes fits what the spec states, and builds") {
  std::set<std::string_view> shown;
  for (const Row& row : kRows) {
    CAPTURE(row.id);
    shown.insert(row.id);
    for (const std::string& spec : {kSpec + row.stated, kSpec}) {
      CAPTURE(spec);
      const auto edit = edit_for(row.id, row.failure, {{"spec.yaml", spec}});
      const bool is_stated = spec != kSpec;
      if (!is_stated && row.proposed_otherwise.empty()) {
        CHECK_FALSE(edit);
        continue;
      }
      REQUIRE(edit);
      CHECK(edit->file == "spec.yaml");
      CHECK((is_stated ? edit->now + " " + edit->proposed : edit->proposed) ==
            (is_stated ? row.now_and_proposed : row.proposed_otherwise));
      const std::string text = changed(spec, *edit);
      const Built built = build_files({{"spec.yaml", text}}, {"spec.yaml"});
      for (const Diagnostic& each : built.reports) {
        if (each.severity == Severity::Error) FAIL_CHECK(each.message);
      }
      CHECK(built.text != build_files({{"spec.yaml", spec}}, {"spec.yaml"}).text);
    }
  }
  shown.insert("queue-missing");  // it needs queues in the dump: golden/diagnose/queue-edit
  for (const FindingRule& rule : FindingRules::builtin().all()) {
    INFO(rule.id);
    CHECK((rule.edit.field.empty() || shown.contains(rule.id)));
  }
}

TEST_CASE("no change is proposed that does not build, or for another job") {
  const Failure& failure = kRows[2].failure;
  // More shared memory than memory is refused.
  CHECK_FALSE(
      edit_for("bus-error-in-log", failure,
               {{"spec.yaml", kSpec + "  resources: {memory: 64Gi, sharedMemory: 64Gi}\n"}}));
  const Row& row = kRows.front();
  std::string other = kSpec;
  other.replace(other.find("name: train"), 11, "name: other");
  CHECK_FALSE(edit_for(row.id, row.failure, {{"spec.yaml", other}}));
  CHECK_FALSE(
      edit_for(row.id, row.failure, {{"spec.yaml", kSpec + "  resources: {memory: '64e9'}\n"}}));
}

TEST_CASE("the field that sets what the finding is about is changed: a limit, or that of a role") {
  const Row& row = kRows.front();
  const auto limit =
      edit_for(row.id, row.failure,
               {{"spec.yaml", kSpec + "  resources: {memory: 64Gi, limits: {memory: 80Gi}}\n"}});
  REQUIRE(limit);
  CHECK(limit->field == "spec.resources.limits.memory");
  CHECK(limit->proposed == "160Gi");
}

TEST_CASE("what a layer states is overridden in the spec itself") {
  const std::string layered = kSpec.substr(0, kSpec.find("spec:")) + "extends: [base.yaml]\n" +
                              kSpec.substr(kSpec.find("spec:"));
  const auto edit = edit_for(kRows.front().id, kRows.front().failure,
                             {{"spec.yaml", layered},
                              {"base.yaml",
                               "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec: "
                               "{resources: {memory: 64Gi}}\n"}});
  REQUIRE(edit);
  CHECK(edit->line == 0);
  CHECK(edit->proposed == "128Gi");
  CHECK(text_of(*edit) == "set `spec.resources.memory: 128Gi` in spec.yaml");
}

TEST_CASE("more retries are proposed where the cause may pass, and not where it stays") {
  const Failure broken{.condition = "{type: Failed, status: 'True', reason: BackoffLimitExceeded}",
                       .state = "terminated: {reason: Error, exitCode: 127}"};
  CHECK_FALSE(edit_for("retries-used-up", broken, {{"spec.yaml", kSpec}}));
  const Failure drained{.condition = "{type: Failed, status: 'True', reason: BackoffLimitExceeded}",
                        .state = "terminated: {reason: Error, exitCode: 1}",
                        .status =
                            "conditions: [{type: DisruptionTarget, status: 'True', reason: "
                            "EvictionByEvictionAPI}], "};
  CHECK(edit_for("retries-used-up", drained, {{"spec.yaml", kSpec}}));
}
