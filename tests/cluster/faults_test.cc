// What goes wrong on the way to a cluster, or there: each has its words, its exit code, and leaves
// nothing that the same command would not finish.
#include <catch2/catch_test_macros.hpp>

#include "cluster/apply_program.h"
#include "live/applied_set.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kJobs = "GET /apis/batch/v1/namespaces/ml/jobs";
const std::string kPods = "GET /api/v1/namespaces/ml/pods";
const std::string kLog = kPods + "/llama-0/log";

const std::string kCore = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                          discovered("", "services", "Service") + "," +
                          discovered("", "pods", "Pod") + "]}";
const std::string kPod =
    R"({"metadata":{"name":"llama-0","namespace":"ml","uid":"p1","labels":{"batch.kubernetes.io/job-name":"llama","batch.kubernetes.io/job-completion-index":"0"}},"spec":{"containers":[{"name":"main"}]},"status":{"phase":"Running","containerStatuses":[{"name":"main","restartCount":0,"state":{"running":{}}}]}})";

/// A server that refuses the job in one way.
struct Refused {
  const char* what;
  int status;
  const char* reason;
  const char* message;
  int code;
  const char* help;
};

/// The requests that one `apply` takes.
std::size_t requests_of_apply() {
  Program program;
  program.takes_all();
  REQUIRE(program.run({"apply", "job.yaml"}) == 0);
  return program.server.seen().size();
}

}  // namespace

TEST_CASE("each refusal of an object has its exit code, and says what to do") {
  const std::vector<Refused> refusals = {
      {"a full quota", 403, "Forbidden",
       "jobs.batch llama is forbidden: exceeded quota: team, requested: count/jobs.batch=1", 9,
       "wait until others have ended"},
      {"missing rights", 403, "Forbidden",
       "jobs.batch llama is forbidden: User alice cannot patch resource jobs", 4,
       "`trainyard ping` prints the Role"},
      {"a namespace that goes", 403, "Forbidden",
       "unable to create new content in namespace ml because it is being terminated", 1,
       "wait until the namespace is gone"},
      {"no namespace", 404, "NotFound", "namespaces \"ml\" not found", 6, "create the namespace"},
      {"a policy", 403, "Forbidden", "admission webhook p.io denied the request: no team", 1,
       "the team that owns this policy"}};
  for (const Refused& each : refusals) {
    INFO(each.what);
    Program program;
    program.takes_all();
    program.server.on("PATCH " + kJob,
                      {{each.status, status_body(each.status, each.reason, each.message)}});
    CHECK(program.run({"apply", "job.yaml"}) == each.code);
    CHECK(has(program.out, each.help));
    CHECK(has(program.out, "Nothing was written."));
    CHECK(program.writes().empty());
    CHECK(program.run({"plan", "job.yaml"}) == each.code);
  }
}

TEST_CASE("a server or webhook that cannot answer is no refusal of the object") {
  const std::vector<Refused> troubles = {
      {"a webhook that times out", 500, "InternalError",
       "failed calling webhook mjob.kb.io: context deadline exceeded", 4,
       "the operator behind this webhook does not answer"},
      {"too many requests", 429, "TooManyRequests", "too many requests", 4,
       "the API server is busy"},
      {"a server that starts", 503, "ServiceUnavailable", "starting", 4, "is not ready"},
      {"a server that is slow", 504, "Timeout", "timed out", 4, "took too long"}};
  for (const Refused& each : troubles) {
    INFO(each.what);
    Program program;
    program.takes_all();
    program.server.on("PATCH " + kJob,
                      {{each.status, status_body(each.status, each.reason, each.message)}});
    CHECK(program.run({"apply", "job.yaml", "--request-timeout", "300ms"}) == each.code);
    CHECK(has(program.err, each.message));
    CHECK(has(program.err, each.help));
    CHECK(!has(program.out, "is refused"));
    CHECK(program.writes().empty());
    CHECK(program.server.seen("PATCH " + kJob).size() >= 2);
  }
}

TEST_CASE("a fault that passes, at any request of apply, is not even seen") {
  const std::size_t requests = requests_of_apply();
  const std::vector<Reply> faults = {
      {.is_cut = true},
      {.body = "{\"kind\":", .is_cut = true},
      {429, status_body(429, "TooManyRequests", "busy")},
      {500, status_body(500, "InternalError", "failed calling webhook")},
      {503, "starting"}};
  for (const Reply& fault : faults) {
    for (std::size_t at = 0; at < requests; ++at) {
      Program program;
      program.takes_all();
      program.server.instead(at, fault);
      INFO(fault.status << " at request " << at);
      CHECK(program.run({"apply", "job.yaml"}) == 0);
      CHECK(program.writes().back() == "PATCH " + kRecord);
    }
  }
}

TEST_CASE("a log that never ends ends with Ctrl-C") {
  Program program;
  program.server.on("GET /api", {{.body = kCore}});
  program.server.on("GET " + kJob, {{.body = job("llama", "a:1")}});
  program.server.on(kPods, {{.body = R"({"metadata":{},"items":[)" + kPod + "]}"}});
  program.server.on(kLog,
                    {{.pieces = {"2026-07-29T10:00:01Z step\n"}, .is_endless = true, .delay = 20}});
  // Discovery, the job, its pods, the log.
  CHECK(program.run_and_interrupt(5, {"logs", "llama", "-n", "ml", "--grep", "none"}) == 130);
  CHECK(!program.server.seen(kLog).empty());
}

TEST_CASE("an answer or a line without an end is given up, and said to be too large") {
  Client client;
  ReplayServer server;
  Connection connection = connection_to(server.address());
  Transport transport(connection, client.machine, {.answer_bytes = 100'000, .line_bytes = 100'000});
  server.on("GET /a", {{.pieces = {std::string(9'000, 'x')}, .is_endless = true}});
  const Answer answer = transport.send({.path = "/a"});
  CHECK(answer.trouble == Trouble::Lost);
  CHECK(answer.problem == "the answer is larger than 100000 bytes");
  CHECK(answer.attempts == 1);
  Answer streamed;
  transport.start(
      {.path = "/a", .streams = true}, [&](Answer& each) { streamed = std::move(each); },
      [](std::string_view) { FAIL("there is no line"); });
  while (transport.turn()) {
  }
  CHECK(streamed.problem == "the answer is larger than 100000 bytes");
}

TEST_CASE("a user who may not read jobs reads that, and not an empty list") {
  for (const std::vector<std::string>& call :
       std::vector<std::vector<std::string>>{{"status", "-n", "ml"},
                                             {"status", "llama", "-n", "ml"},
                                             {"wait", "llama", "-n", "ml"},
                                             {"delete", "llama", "-n", "ml"}}) {
    Program program;
    const Reply refused{403, status_body(403, "Forbidden", "User alice cannot get resource jobs")};
    program.server.on("GET " + kJob, {refused});
    program.server.on(kJobs, {refused});
    INFO(call.front());
    CHECK(program.run(call) == 4);
    CHECK(has(program.err, "User alice cannot get resource jobs"));
    CHECK(has(program.err, "`trainyard ping` prints the Role"));
    CHECK(!has(program.err, "has no job"));
  }
}

TEST_CASE("a list that the server forgets twice ends with 4") {
  Program program;
  program.server.on(kJobs, {{410, status_body(410, "Expired", "too old")}});
  CHECK(program.run({"status", "-n", "ml"}) == 4);
  CHECK(program.server.seen(kJobs).size() == 2);
}

TEST_CASE("delete that cannot read the record of a job deletes nothing") {
  for (const int status : {403, 503}) {
    Program program;
    program.server.on("GET " + kJob, {{.body = job("llama", "a:1")}});
    program.server.on("GET " + kRecord, {{status, status_body(status, "X", "no configmaps")}});
    INFO(status);
    CHECK(program.run({"delete", "llama", "-n", "ml", "--yes", "--request-timeout", "300ms"}) == 4);
    CHECK(has(program.err, "no configmaps"));
    CHECK(program.writes().empty());
  }
}

TEST_CASE("logs -f of a job that another of its name replaces says that it is gone") {
  Program program;
  program.server.on("GET /api", {{.body = kCore}});
  program.server.on("GET " + kJob, {{.body = job("llama", "a:1")}});
  program.server.on(kJobs, {{.body = R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                     job("llama", "a:1", "j2") + "]}"},
                            {.hangs = true}});
  program.server.on(kPods, {{.body = R"({"metadata":{},"items":[]})"}, {.hangs = true}});
  CHECK(program.run({"logs", "llama", "-n", "ml", "-f"}) == 6);
  CHECK(has(program.err, "Job/llama is gone, and was not at its end"));
}

TEST_CASE("delete finishes what an interrupted delete has left") {
  Program program;
  program.server.on(
      "GET " + kRecord,
      {{.body =
            R"({"metadata":{"name":"trainyard-llama","namespace":"ml"},"data":{"job":"llama","objects":"[{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"s1\"},{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"j1\"}]"}})"}});
  program.server.on("DELETE " + kService, {{.body = "{}"}});
  program.server.on("DELETE " + kRecord, {{.body = "{}"}});
  CHECK(program.run({"delete", "llama", "-n", "ml"}) == 0);
  CHECK(program.writes() == Writes{"DELETE " + kService, "DELETE " + kJob, "DELETE " + kRecord});
  CHECK(has(program.out, "deleted Service/llama\ndeleted the record of llama\n"));
  CHECK(program.err.empty());
}

TEST_CASE("a job that goes between two requests of delete or cancel was to go") {
  for (const char* command : {"delete", "cancel"}) {
    Program program;
    const std::string queued = R"(,"labels":{"kueue.x-k8s.io/queue-name":"team-a"})";
    program.server.on("GET " + kJob, {{.body = job("llama", "a:1", "j1", queued)},
                                      {404, status_body(404, "NotFound", "not found")}});
    CAPTURE(command);
    CHECK(program.run({command, "llama", "-n", "ml", "--yes"}) == 0);
    CHECK(program.writes() == Writes{"DELETE " + kJob});
    CHECK(has(program.out, "deleted Job/llama (it had just gone)"));
  }
}

TEST_CASE("an object whose UID no apply came to know is removed only where it is marked as ours") {
  const std::string record =
      R"({"metadata":{"name":"trainyard-llama","namespace":"ml"},"data":{"job":"llama","objects":"[{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"\"}]"}})";
  for (const bool is_ours : {false, true}) {
    Program program;
    const std::string label =
        is_ours ? R"("applyset.kubernetes.io/part-of":")" + applied_set_id("llama", "ml") + "\""
                : std::string();
    program.server.on("GET " + kRecord, {{.body = record}});
    program.server.on("GET " + kService,
                      {{.body = R"({"metadata":{"uid":"s9","labels":{)" + label + "}}}"}});
    program.server.on("DELETE " + kService, {{.body = "{}"}});
    program.server.on("DELETE " + kRecord, {{.body = "{}"}});
    CHECK(program.run({"delete", "llama", "-n", "ml"}) == 0);
    const auto deletes = program.server.seen("DELETE " + kService);
    CHECK(deletes.size() == (is_ours ? 1U : 0U));
    CHECK(has(program.out, is_ours ? "deleted Service/llama" : "kept Service/llama"));
    if (is_ours) CHECK(has(deletes.front().body, "s9"));
  }
}
