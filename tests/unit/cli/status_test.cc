// What `status` prints for people and for programs, and how it ends.

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "driver/status/status_json.h"
#include "policy/json_schema.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"
#include "unit/cli/call.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kFailed =
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: llama, namespace: nlp, creationTimestamp: "
    "\"2026-05-01T10:00:00Z\"}\nstatus:\n  conditions: [{type: Failed, status: \"True\", reason: "
    "BackoffLimitExceeded, lastTransitionTime: \"2026-05-01T10:40:00Z\"}]\n";

constexpr const char* kToken = "hf_abcdefghijklmnopqrstuvwxyzABCDEF01";

/// Names and messages with what a terminal would obey, and with a token.
const std::string kHostile =
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: \"l\\e[2Jama\\u202e\\nJob/forged  ml  "
    "running\", namespace: nlp}\nstatus:\n  active: 1\n  conditions: [{type: Failed, status: "
    "\"True\", message: \"\\e]0;title\\a token=" +
    std::string(kToken) +
    "\"}]\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: \"p\\r\\e[1m\", namespace: nlp, "
    "labels: "
    "{\"batch.kubernetes.io/job-name\": \"l\\e[2Jama\\u202e\\nJob/forged  ml  running\"}}\nspec: "
    "{nodeName: \"\\u009b2J\"}\nstatus: {phase: Pending, containerStatuses: [{name: m, state: "
    "{waiting: {reason: \"\\e[31m\", message: " +
    std::string(kToken) + "}}}]}\n";

bool is_plain(const std::string& text) {
  return text.find('\x1b') == text.npos && text.find("\xc2\x9b") == text.npos &&
         text.find("\xe2\x80\xae") == text.npos && text.find('\r') == text.npos;
}

std::vector<std::string> breaches(const std::string& json) {
  SourceMap sources;
  Sink sink;
  const auto schema =
      read_yaml(sources, sources.add("schema.json", std::string(job_status_schema())), sink);
  const auto value = read_yaml(sources, sources.add("value.json", json), sink);
  REQUIRE_FALSE(sink.has_errors());
  JsonSchema checker(schema.at(0), schema.at(0).root());
  REQUIRE(checker.faults().empty());
  std::vector<JsonSchema::Breach> found;
  checker.check(value.at(0), value.at(0).root(), found);
  std::vector<std::string> messages;
  for (const auto& each : found) messages.push_back(each.message);
  return messages;
}

}  // namespace

TEST_CASE(
    "status ends with 5 for a job that has failed, 6 for one that is not there, and 2 for a "
    "call without a dump") {
  Caller call;
  call.files.files["dump.yaml"] = kFailed;
  CHECK(call({"status"}).code == ExitCode::CallWrong);
  CHECK(call({"status", "--from", "none.yaml"}).code == ExitCode::InputWrong);
  CHECK(call({"status", "--from", "dump.yaml", "lama"}).code == ExitCode{6});
  CHECK(call({"status", "--from", "dump.yaml", "llama", "-n", "other"}).code == ExitCode{6});
  CHECK(call({"status", "--from", "dump.yaml", "llama"}).code == ExitCode{5});
  CHECK(call({"status", "--from", "dump.yaml", "Job/llama", "--output", "json"}).code ==
        ExitCode{5});
  CHECK(call({"diagnose", "--from", "dump.yaml", "lama"}).code == ExitCode{6});
  // A list of jobs is an answer, whatever became of them.
  CHECK(call({"status", "--from", "dump.yaml"}).code == ExitCode::Good);
  call.input = kFailed;
  CHECK(contains(call({"status", "--from", "-"}).out, "Job/llama"));
}

TEST_CASE("the word for a job may be a file with its spec, or a manifest") {
  Caller call;
  call.files.files["dump.yaml"] =
      kFailed + "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: other, namespace: nlp}\n";
  call.files.files["spec.yaml"] = kSpec;
  const Called called = call({"status", "--from", "dump.yaml", "spec.yaml"});
  CHECK(contains(called.out, "Job/llama"));
  CHECK_FALSE(contains(called.out, "other"));
  CHECK(called.code == ExitCode{5});
  call.files.files["job.yaml"] = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: other}\n";
  CHECK(contains(call({"status", "--from", "dump.yaml", "job.yaml"}).out, "Job/other"));
  CHECK(call({"status", "--from", "dump.yaml", "none.yaml"}).code == ExitCode::InputWrong);
}

TEST_CASE("text of others is shown so that a terminal obeys nothing in it, and without secrets") {
  Caller call;
  call.files.files["dump.yaml"] = kHostile;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"status", "--from", "dump.yaml"},
        {"status", "--from", "dump.yaml", "nothing"},
        {"status", "--from", "dump.yaml", "--output", "json"},
        {"diagnose", "--from", "dump.yaml"}}) {
    INFO(words.back());
    const Called called = call(words);
    CHECK(is_plain(called.out));
    CHECK(is_plain(called.err));
    CHECK_FALSE(contains(called.out + called.err, kToken));
    // No line that looks like that of another job.
    CHECK_FALSE(contains("\n" + called.out + called.err, "\nJob/forged"));
  }
  call.files.files["spec.json"] =
      "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": "
      "\"l\\u001b[2Jama\\u202e\\nJob/forged  ml  running\"}}";
  const Called one = call({"status", "--from", "dump.yaml", "spec.json"});
  CHECK(one.code == ExitCode{5});
  CHECK(is_plain(one.out));
  CHECK_FALSE(contains(one.out, kToken));
  CHECK_FALSE(contains(one.out, "\nJob/forged"));
}

TEST_CASE("the schema of JobStatus holds for what is printed, and has each of its keys") {
  Caller call;
  CHECK(call({"schema", "export", "JobStatus"}).out == job_status_schema());
  for (const std::string& dump : {kFailed, kHostile}) {
    call.files.files["dump.yaml"] = dump;
    const std::string json = call({"status", "--from", "dump.yaml", "--output", "json"}).out;
    INFO(json);
    for (const std::string& each : breaches(json)) FAIL_CHECK(each);
    CHECK(contains(json, "\"name\":"));
  }
  CHECK_FALSE(
      breaches("{\"version\": 1, \"diagnostics\": [], \"now\": \"\", \"jobs\": [{}]}").empty());
}
