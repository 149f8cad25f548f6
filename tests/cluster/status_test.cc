// `status` on a cluster: how much it asks, and how it follows what changes.
#include <pthread.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "cluster/apply_program.h"
#include "live/jobs/watched_jobs.h"
#include "tree/typed_fields.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kJobs = "GET /apis/batch/v1/namespaces/ml/jobs";
const std::string kCore = "GET /api/v1/namespaces/ml/";
const std::string kWorkloads = "GET /apis/kueue.x-k8s.io/v1/namespaces/ml/workloads";

std::string resource(const std::string& plural, const std::string& kind, bool namespaced = true) {
  return R"({"resource":")" + plural + R"(","scope":")" + (namespaced ? "Namespaced" : "Cluster") +
         R"(","responseKind":{"group":"","version":"v1","kind":")" + kind + "\"}}";
}

std::string listed(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string numbered_job(const std::string& name, const std::string& status,
                         const std::string& version = "5") {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":")" + name +
         R"(","namespace":"ml","uid":"u-)" + name + R"(","resourceVersion":")" + version +
         R"("},"spec":{"parallelism":2},"status":)" + status + "}";
}

std::string pod_of(const std::string& job, int index, const std::string& phase = "Running") {
  const std::string number = std::to_string(index);
  return R"({"metadata":{"name":")" + job + "-" + number +
         R"(","namespace":"ml","labels":{"batch.kubernetes.io/job-name":")" + job +
         R"(","batch.kubernetes.io/job-completion-index":")" + number +
         R"("}},"spec":{"nodeName":"n1"},"status":{"phase":")" + phase + "\"}}";
}

const std::string kRunning = R"({"active":2,"ready":2})";
const std::string kComplete =
    R"({"succeeded":2,"conditions":[{"type":"Complete","status":"True"}]})";

/// A cluster with Jobs, all that tells of them, and Kueue.
struct Lab : Program {
  Lab() {
    server.on(
        "GET /api",
        {{.body =
              R"({"kind":"APIGroupDiscoveryList","items":[)"
              R"({"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current","resources":[)" +
              resource("pods", "Pod") + "," + resource("events", "Event") + "," +
              resource("persistentvolumeclaims", "PersistentVolumeClaim") + "," +
              resource("nodes", "Node", false) + "]}]}]}"}});
    server.on("GET /apis",
              {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                        discovered("batch", "jobs", "Job") + "," +
                        discovered("kueue.x-k8s.io", "workloads", "Workload") + "]}"}});
    answers(kCore + "pods", {});
    answers(kCore + "events", {});
    answers(kCore + "persistentvolumeclaims", {});
    answers("GET /api/v1/nodes", {});
    answers(kWorkloads, {});
  }
  /// A list, and a watch that tells nothing more.
  void answers(const std::string& call, const std::string& items) {
    server.on(call, {{.body = listed(items)}, {.hangs = true}});
  }
  /// Requests for lists, in the place of single objects and watches.
  std::size_t lists() const {
    std::size_t count = 0;
    for (const SeenRequest& each : server.seen()) {
      count += each.path.find("limit=") != std::string::npos ? 1U : 0U;
    }
    return count;
  }
  std::size_t watches(const std::string& call) const {
    std::size_t count = 0;
    for (const SeenRequest& each : server.seen(call)) {
      count += each.path.find("watch=true") != std::string::npos ? 1U : 0U;
    }
    return count;
  }
};

}  // namespace

TEST_CASE("the status of 200 jobs in a queue takes at most six lists") {
  for (const bool waits : {false, true}) {
    Lab lab;
    std::string jobs;
    std::string pods;
    for (int i = 0; i < 200; ++i) {
      const std::string name = "job-" + std::to_string(i);
      jobs += (i == 0 ? "" : ",") + numbered_job(name, kRunning);
      pods += (i == 0 ? "" : ",") + pod_of(name, 0) + "," +
              pod_of(name, 1, waits ? "Pending" : "Running");
    }
    lab.answers(kJobs, jobs);
    lab.answers(kCore + "pods", pods);
    CHECK(lab.run({"status", "-n", "ml"}) == 0);
    CHECK(has(lab.out, "job-199"));
    INFO(waits);
    // Claims matter only to pods that wait.
    CHECK(lab.lists() == (waits ? 6 : 5));
    CHECK(lab.server.seen().size() == lab.lists() + 2);
  }
}

TEST_CASE("the status of one job has its place in the queue, where Kueue tells it") {
  const std::string queues = "visibility.kueue.x-k8s.io";
  for (const bool is_told : {true, false}) {
    Lab lab;
    lab.server.on("GET /apis",
                  {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                            discovered("batch", "jobs", "Job") + "," +
                            discovered("kueue.x-k8s.io", "workloads", "Workload") + "," +
                            discovered(queues, "localqueues", "LocalQueue") + "]}"}});
    lab.server.on("GET /apis/batch/v1/namespaces/ml/jobs/llama",
                  {{.body = numbered_job(
                        "llama", R"({"conditions":[{"type":"Suspended","status":"True"}]})")}});
    lab.answers(
        kWorkloads,
        R"({"metadata":{"name":"job-llama","namespace":"ml","uid":"w1","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"llama","uid":"u-llama"}]},"spec":{"queueName":"team-a"},"status":{"conditions":[{"type":"QuotaReserved","status":"False","message":"16 more needed"}]}})");
    const Reply list{
        .body =
            R"({"kind":"PendingWorkloadsSummary","apiVersion":"visibility.kueue.x-k8s.io/v1beta2","items":[{"metadata":{"name":"job-llama","namespace":"ml"},"positionInLocalQueue":2}]})"};
    const Reply refusal{403, status_body(403, "Forbidden", "no")};
    lab.server.on("GET /apis/" + queues + "/v1/namespaces/ml/localqueues/team-a/pendingworkloads",
                  {is_told ? list : refusal});
    CHECK(lab.run({"status", "llama", "-n", "ml"}) == 0);
    CAPTURE(lab.out);
    CHECK(has(lab.out, "16 more needed"));
    CHECK(has(lab.out, "number 3 of those that wait") == is_told);
  }
}

TEST_CASE("a job whose queue is missing shows the queues of its namespace, by one list more") {
  const std::string queues = "GET /apis/kueue.x-k8s.io/v1/namespaces/ml/localqueues";
  for (const std::string reason : {"Inadmissible", "Pending"}) {
    Lab lab;
    lab.server.on("GET /apis",
                  {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                            discovered("batch", "jobs", "Job") + "," +
                            discovered("kueue.x-k8s.io", "workloads", "Workload") + "," +
                            discovered("kueue.x-k8s.io", "localqueues", "LocalQueue") + "]}"}});
    lab.server.on("GET /apis/batch/v1/namespaces/ml/jobs/llama",
                  {{.body = numbered_job(
                        "llama", R"({"conditions":[{"type":"Suspended","status":"True"}]})")}});
    lab.answers(
        kWorkloads,
        R"({"metadata":{"name":"job-llama","namespace":"ml","uid":"w1","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"llama","uid":"u-llama"}]},"spec":{"queueName":"tema-a"},"status":{"conditions":[{"type":"QuotaReserved","status":"False","reason":")" +
            reason + R"(","message":"LocalQueue tema-a doesn't exist"}]}})");
    lab.answers(queues, R"({"metadata":{"name":"team-b","namespace":"ml"}},)"
                        R"({"metadata":{"name":"team-a","namespace":"ml"}})");
    CHECK(lab.run({"diagnose", "llama", "-n", "ml"}) == 0);
    CAPTURE(lab.out);
    const bool is_missing = reason == "Inadmissible";
    CHECK(has(lab.out, "the namespace has `team-a` and `team-b`") == is_missing);
    CHECK(lab.server.seen(queues).size() == (is_missing ? 1 : 0));
  }
}

TEST_CASE("status --watch ends with 6 where the job goes before its end") {
  Lab lab;
  lab.server.on("GET " + kJob, {{.body = numbered_job("llama", kRunning)}});
  lab.server.on(kJobs, {{.body = listed(numbered_job("llama", kRunning))},
                        {.pieces = {event("DELETED", numbered_job("llama", kRunning, "6"))}},
                        {.hangs = true}});
  CHECK(lab.run({"status", "llama", "-n", "ml", "--watch"}) == 6);
  CHECK(has(lab.err, "job `llama` is gone, and was not at its end"));
}

TEST_CASE("status --watch of a user who may not watch says so") {
  Lab lab;
  const Reply refused{403, status_body(403, "Forbidden", "User alice cannot watch")};
  const Reply jobs{.body = listed(numbered_job("llama", kRunning))};
  lab.server.on(kJobs, {jobs, jobs, refused});
  for (const char* kind : {"pods", "events", "persistentvolumeclaims"}) {
    lab.server.on(kCore + kind, {refused});
  }
  lab.server.on("GET /api/v1/nodes", {refused});
  lab.server.on(kWorkloads, {refused});
  CHECK(lab.run({"status", "-n", "ml", "--watch"}) == 4);
  CHECK(has(lab.err, "User alice cannot watch"));
}

TEST_CASE("status --watch follows a job to its end by one list and one watch of each kind") {
  Lab lab;
  lab.server.on("GET " + kJob, {{.body = numbered_job("llama", kRunning)}});
  // The watch ends, a bookmark says where it goes on.
  lab.server.on(
      kJobs, {{.body = listed(numbered_job("llama", R"({"active":2,"ready":0})"))},
              {.pieces = {event("MODIFIED", numbered_job("llama", kRunning, "6")),
                          event("BOOKMARK", R"({"metadata":{"resourceVersion":"9"}})")},
               .delay = 50},
              {.pieces = {event("MODIFIED", numbered_job("llama", kComplete, "10"))}, .delay = 50},
              {.hangs = true}});
  CHECK(lab.run({"status", "llama", "-n", "ml", "--watch"}) == 0);
  CHECK(has(lab.out, "succeeded"));
  CHECK(lab.lists() == 6);
  CHECK(lab.watches(kCore + "pods") == 1);
  const auto seen = lab.server.seen(kJobs);
  REQUIRE(seen.size() >= 3);
  CHECK(has(seen[1].path, "resourceVersion=5"));
  CHECK(has(seen[1].path, "allowWatchBookmarks=true"));
  CHECK(has(seen[2].path, "resourceVersion=9"));
}

TEST_CASE(
    "status --watch that the server has forgotten lists again, and knows what went meanwhile") {
  Lab lab;
  const std::string forgotten = status_body(410, "Expired", "too old resource version");
  lab.server.on(kJobs,
                {{.body = listed(numbered_job("a", kRunning) + "," + numbered_job("b", kRunning))},
                 {.pieces = {event("ERROR", forgotten)}},
                 {.body = listed(numbered_job("b", kComplete, "8"))},
                 {.hangs = true}});
  ApiError error;
  Connection connection = connection_to(lab.server.address());
  Transport transport(connection, lab.machine);
  const auto discovery = Discovery::of(transport, error);
  REQUIRE(discovery);
  WatchedJobs watched(transport, *discovery, JobKinds::builtin(), "ml", {},
                      job_kinds(JobKinds::builtin(), *discovery, {}), [](const std::string&) {});
  while (!(watched.is_complete() && watched.now().jobs.size() == 1)) REQUIRE(transport.turn());
  const LiveJobs now = watched.now();
  CHECK(now.jobs.front().name() == "b");
  CHECK(now.dump.jobs().size() == 1);
  CHECK(lab.server.seen(kJobs).size() >= 3);
}

TEST_CASE("status --watch of a whole namespace goes on until Ctrl-C") {
  Lab lab;
  const Reply jobs{.body = listed(numbered_job("llama", kComplete))};
  lab.server.on(kJobs, {jobs, jobs, {.hangs = true}});
  const pthread_t main = ::pthread_self();
  std::thread user([&lab, main] {
    while (lab.watches(kJobs) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::pthread_kill(main, SIGINT);
  });
  const int code = lab.run({"status", "-n", "ml", "--watch"});
  user.join();
  CHECK(code == 130);
}
