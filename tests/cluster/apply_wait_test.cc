// `apply --wait` and `apply --logs` as a person calls them, against recorded answers.
#include <pthread.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "cluster/apply_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kJobs = "GET /apis/batch/v1/namespaces/ml/jobs";
const std::string kPods = "GET /api/v1/namespaces/ml/pods";
const std::string kLog = "GET /api/v1/namespaces/ml/pods/llama-0/log";

std::string job_with(const std::string& status, const std::string& uid = "j1") {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"llama","namespace":"ml","uid":")" +
         uid + R"(","resourceVersion":"7"},"spec":{"parallelism":2},"status":)" + status + "}";
}

const std::string kPending = job_with(R"({"active":2,"ready":0})");
const std::string kRunning = job_with(R"({"active":2,"ready":2})");
const std::string kComplete =
    job_with(R"({"succeeded":2,"conditions":[{"type":"Complete","status":"True"}]})");
const std::string kFailed = job_with(
    R"({"failed":1,"conditions":[{"type":"Failed","status":"True","reason":"PodFailurePolicy"}]})");

std::string listed(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

std::string changed(const std::string& object) {
  return R"({"type":"MODIFIED","object":)" + object + "}\n";
}

/// A job that is applied, and then goes through these states.
struct Applied : Program {
  explicit Applied(const std::vector<std::string>& states) {
    takes_all();
    server.on("GET " + kJob, {{404, status_body(404, "NotFound", "")}, {.body = states.front()}});
    std::vector<std::string> events;
    for (std::size_t i = 1; i < states.size(); ++i) events.push_back(changed(states[i]));
    server.on(kJobs, {{.body = listed(states.front())}, {.pieces = events}, {.hangs = true}});
  }
};

}  // namespace

TEST_CASE("what cannot be waited for is reported before anything is written") {
  Applied program({kPending});
  CHECK(program.run({"apply", "job.yaml", "--wait=ended"}) == 2);
  CHECK(has(program.err, "`--wait` is `running` or `finished`, not `ended`"));
  CHECK(program.run({"apply", "job.yaml", "--timeout", "3m"}) == 2);
  CHECK(has(program.err, "`--timeout` needs `--wait` or `--logs`"));
  CHECK(program.run({"apply", "job.yaml", "--wait", "--timeout", "soon"}) == 2);
  CHECK(program.run({"apply", "job.yaml", "--logs", "--wait=running"}) == 2);
  CHECK(has(program.err, "leave `--wait=running` out"));
  CHECK(program.run({"apply", "job.yaml", "--logs", "--output", "json"}) == 2);
  CHECK(program.server.seen().empty());

  program.files.files["s.yaml"] =
      "apiVersion: v1\nkind: Service\nmetadata: {name: llama, namespace: ml}\n";
  CHECK(program.run({"apply", "s.yaml", "--wait"}) == 2);
  CHECK(has(program.err, "the input has no job"));
  CHECK(program.writes().empty());
}

TEST_CASE("help says that --wait may stand alone") {
  Applied program({kPending});
  CHECK(program.run({"apply", "--help"}) == 0);
  CHECK(has(program.out, "--wait[=PHASE]"));
}

TEST_CASE("apply --wait ends as wait does") {
  const auto code = [](const std::vector<std::string>& states, const std::string& option) {
    Applied program(states);
    return program.run({"apply", "job.yaml", option});
  };
  CHECK(code({kPending, kRunning, kComplete}, "--wait") == 0);
  CHECK(code({kPending, kRunning, kFailed}, "--wait") == 5);
  CHECK(code({kPending, kRunning}, "--wait=running") == 0);
  CHECK(code({kPending, kFailed}, "--wait=running") == 5);
  CHECK(code({kPending, job_with("{}", "another")}, "--wait") == 6);
}

namespace {

/// The states of the pods of a job whose status says that both run: a list, then changes of it.
struct WithPods : Applied {
  explicit WithPods(const std::string& first, const std::vector<std::string>& later = {})
      : Applied({kRunning}) {
    server.on("GET " + kJob, {{.body = kRunning}});
    std::vector<std::string> events;
    for (const std::string& each : later) events.push_back(changed(each));
    server.on(kPods, {{.body = listed(first)}, {.pieces = events}, {.hangs = true}});
  }
  static std::string pod(int index, const std::string& status) {
    const std::string number = std::to_string(index);
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"llama-)" + number +
           R"(","namespace":"ml","uid":"p)" + number +
           R"(","resourceVersion":"3","labels":{"batch.kubernetes.io/job-name":"llama"}},"status":)" +
           status + "}";
  }
};

const std::string kReady = R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})";
const std::string kLostNode =
    R"({"phase":"Running","conditions":[{"type":"Ready","status":"False"}]})";
const std::string kOneLost = WithPods::pod(0, kReady) + "," + WithPods::pod(1, kLostNode);

}  // namespace

TEST_CASE("a wait for `running` judges the pods as status does, not the job alone") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"wait", "llama", "-n", "ml", "--for", "running", "--timeout", "300ms"},
           {"apply", "job.yaml", "--wait=running", "--timeout", "300ms"}}) {
    WithPods program(kOneLost);
    CAPTURE(words.front());
    CHECK(program.run(words) == 7);
    CHECK(has(program.err, "Job/llama was pending and goes on"));
    const auto asked = program.server.seen(kPods);
    REQUIRE(!asked.empty());
    CHECK(has(asked.front().path, "labelSelector=batch.kubernetes.io%2Fjob-name%3Dllama"));
  }
  WithPods program(kOneLost, {WithPods::pod(1, kReady)});
  CHECK(program.run({"wait", "llama", "-n", "ml", "--for", "running", "--timeout", "20s"}) == 0);
}

TEST_CASE("a user who may not watch pods waits for what the job itself says") {
  WithPods program("");
  program.server.on(kPods, {{403, status_body(403, "Forbidden", "no pods")}});
  CHECK(program.run({"wait", "llama", "-n", "ml", "--for", "running", "--timeout", "20s"}) == 0);
}

namespace {

/// A NemoTrainingJob, whose status says nothing that is known, and the Job of Volcano that it made.
struct WithoutSigns : Applied {
  WithoutSigns() : Applied({kPending}) {
    server.on("GET /apis",
              {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                        discovered("nvidia.com", "nemotrainingjobs", "NemoTrainingJob") + "," +
                        discovered("batch.volcano.sh", "jobs", "Job") + "]}"}});
    const std::string nemo =
        R"({"apiVersion":"nvidia.com/v1","kind":"NemoTrainingJob","metadata":{"name":"tune","namespace":"ml","uid":"n1","resourceVersion":"7"},"status":{"state":"Ready"}})";
    const std::string jobs = "/apis/nvidia.com/v1/namespaces/ml/nemotrainingjobs";
    const std::string children = "/apis/batch.volcano.sh/v1/namespaces/ml/jobs";
    server.on("GET " + jobs + "/tune", {{.body = nemo}});
    server.on("GET " + jobs, {{.body = listed(nemo)}});
    server.on("WATCH " + jobs, {{.hangs = true}});
    server.on("GET " + children, {{.body = listed(made("Pending"))}});
    server.on("WATCH " + children,
              {{.pieces = {changed(made("Running")), changed(made("Failed"))}}, {.hangs = true}});
  }
  static std::string made(const std::string& phase) {
    return R"({"apiVersion":"batch.volcano.sh/v1","kind":"Job","metadata":{"name":"tune-x","namespace":"ml","uid":"v1","resourceVersion":"8","ownerReferences":[{"apiVersion":"nvidia.com/v1","kind":"NemoTrainingJob","name":"tune","uid":"n1"}]},"status":{"state":{"phase":")" +
           phase + R"("},"running":1},"spec":{"minAvailable":1,"tasks":[{"replicas":1}]}})";
  }
  int wait_for(const std::string& goal) {
    return run({"wait", "tune", "-n", "ml", "--for", goal, "--timeout", "20s"});
  }
};

}  // namespace

TEST_CASE("a job whose status tells nothing is followed by what it makes") {
  CHECK(WithoutSigns().wait_for("running") == 0);
  CHECK(WithoutSigns().wait_for("finished") == 5);
}

TEST_CASE("apply --wait --timeout ends with 7, and says how to come back") {
  Applied program({kPending});
  CHECK(program.run({"apply", "job.yaml", "--wait", "--timeout", "200ms", "--context", "dgx"}) ==
        7);
  CHECK(has(program.err, "`--timeout` is over; Job/llama was pending and goes on"));
  CHECK(has(program.err, "`trainyard wait Job/llama -n ml --kubeconfig k --context dgx`"));
  CHECK(program.writes().size() == 4);
}

TEST_CASE("a job that is refused is not waited for") {
  Applied program({kPending});
  program.server.on("PATCH " + kJob, {{422, status_body(422, "Invalid", "wrong")}});
  CHECK(program.run({"apply", "job.yaml", "--wait"}) == 1);
  CHECK(program.server.seen(kJobs).empty());
}

TEST_CASE("apply --wait --output json says how each job ended") {
  Applied program({kPending, kRunning, kFailed});
  CHECK(program.run({"apply", "job.yaml", "--wait", "--output", "json"}) == 5);
  CHECK(has(program.out, R"("jobs": [{"job": "Job/llama", "namespace": "ml", "phase": "failed")"));
  CHECK(has(program.out, "\"objects\": ["));
}

TEST_CASE("apply --logs follows rank 0 until the job has ended, with the code of the job") {
  Applied program({kRunning, kFailed});
  const std::string pod =
      R"({"metadata":{"name":"llama-0","namespace":"ml","uid":"p1","resourceVersion":"3","labels":{"batch.kubernetes.io/job-completion-index":"0"}},"spec":{"restartPolicy":"Never","containers":[{"name":"main"}]},"status":{"phase":"Failed","containerStatuses":[{"name":"main","restartCount":0,"state":{"terminated":{"exitCode":1}}}]}})";
  program.server.on(kPods, {{.body = listed(pod)}, {.hangs = true}});
  program.server.on("GET /api/v1/namespaces/ml/pods/llama-0", {{.body = pod}});
  program.server.on(kLog, {{.pieces = {"2026-07-29T10:00:01Z loss is NaN\n"}}});
  CHECK(program.run({"apply", "job.yaml", "--logs"}) == 5);
  CHECK(has(program.err, "`trainyard diagnose Job/llama -n ml --kubeconfig k` says why"));
  REQUIRE(!program.server.seen(kLog).empty());
  CHECK(has(program.server.seen(kLog).front().path, "follow=true"));
}

TEST_CASE("Ctrl-C leaves the job running, and says how to come back to it") {
  for (const char* option : {"--wait", "--logs"}) {
    Applied program({kRunning});
    program.server.on(kPods, {{.body = listed("")}, {.hangs = true}});
    const pthread_t main = ::pthread_self();
    std::thread user([&program, main] {
      // The second request of the jobs is the watch: all is written, and the wait has begun.
      while (program.server.seen(kJobs).size() < 2) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      ::pthread_kill(main, SIGINT);
    });
    const int code = program.run({"apply", "job.yaml", option});
    user.join();
    INFO(option);
    CHECK(code == 130);
    CHECK(has(program.err, "Job/llama was running and goes on; it is not touched"));
    CHECK(has(program.err, "`trainyard cancel Job/llama -n ml --kubeconfig k` stops it"));
    CHECK(program.writes().size() == 4);
  }
}
