// Ctrl-C at each request of each command: what it says, what it leaves, and that the same command
// finishes it.
#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "cluster/survey_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kJobs = "/apis/batch/v1/namespaces/ml/jobs";
const std::string kPods = "/api/v1/namespaces/ml/pods";
const std::string kQueued = R"(,"labels":{"kueue.x-k8s.io/queue-name":"team-a"})";
const Reply kGone{404, status_body(404, "NotFound", "not found")};

std::string listed(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

std::string job_with(const std::string& status, const std::string& more = "") {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"llama","namespace":"ml","uid":"j1","resourceVersion":"7")" +
         more + R"(},"spec":{"parallelism":1},"status":)" + status + "}";
}

std::string pod(const std::string& phase, const std::string& state) {
  return R"({"metadata":{"name":"llama-0","namespace":"ml","uid":"p1","resourceVersion":"3","labels":{"batch.kubernetes.io/job-name":"llama","batch.kubernetes.io/job-completion-index":"0"}},"spec":{"restartPolicy":"Never","containers":[{"name":"main"}]},"status":{"phase":")" +
         phase + R"(","containerStatuses":[{"name":"main","restartCount":0,"state":)" + state +
         "}]}}";
}

const std::string kRunning = job_with(R"({"active":1,"ready":1})");
const std::string kSuspended = job_with(R"({"conditions":[{"type":"Suspended","status":"True"}]})");
const std::string kComplete =
    job_with(R"({"succeeded":1,"conditions":[{"type":"Complete","status":"True"}]})");

/// A cluster whose answers follow from what was written.
struct Lab : SurveyProgram {
  Lab() {
    files.files["lab.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
        "  pools:\n    - {name: h100, machine: dgx-h100, count: 2, labels: {node-pool: h100}}\n";
    takes_all();
    has_job(kRunning);
    pods_are(pod("Running", R"({"running":{}})"));
    server.on("GET " + kPods + "/llama-0/log", {{.pieces = {"2026-07-29T10:00:01Z step 1\n"}}});
    // What is changed, or goes, is so from then on.
    server.on("PATCH " + kJob, {{.body = kRunning, .does = [this] { has_job(kSuspended); }}});
    server.on("DELETE " + kJob, {{.body = "{}", .does = [this] { goes("GET " + kJob); }}});
    for (const std::string& path : {kService, kRecord}) {
      server.on("DELETE " + path, {{.body = "{}", .does = [this, path] { goes("GET " + path); }}});
    }
  }

  void has_job(const std::string& body) {
    server.on("GET " + kJob, {{.body = body}});
    server.on("GET " + kJobs, {{.body = listed(body)}});
    server.on("WATCH " + kJobs, {{.hangs = true}});
  }
  void pods_are(const std::string& body) {
    server.on("GET " + kPods, {{.body = listed(body)}});
    server.on("WATCH " + kPods, {{.hangs = true}});
    server.on("GET " + kPods + "/llama-0", {{.body = body}});
  }
  void goes(const std::string& call) { server.on(call, {kGone}); }
  void is_new() {
    takes_all();
    goes("GET " + kJob);
  }
  void is_replaced() {
    runs_another_image();
    const Reply refused{422, status_body(422, "Invalid", "spec.template: field is immutable")};
    server.on("PATCH " + kJob, {refused});
    server.on("DELETE " + kJob, {{.body = "{}", .does = [this] {
                                    is_new();
                                    server.on("PATCH " + kJob, {{201, job("llama", "a:2", "j2")}});
                                  }}});
  }
  void is_recorded() {
    server.on(
        "GET " + kRecord,
        {{.body =
              R"({"metadata":{"name":"trainyard-llama","namespace":"ml"},"data":{"job":"llama","objects":"[{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"s1\"},{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"j1\"}]"}})"}});
  }
  void ends() {
    has_job(kComplete);
    pods_are(pod("Succeeded", R"({"terminated":{"exitCode":0}})"));
  }
};

/// A command, and the cluster that it meets.
struct Verb {
  const char* what;
  std::vector<std::string> words;
  std::function<void(Lab&)> before = [](Lab&) {};
  bool waits = false;  // until the job has ended, which it does after Ctrl-C
  int once_more = 0;   // the exit code of the same command where all is done already
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> rows = {
      {"plan", {"plan", "job.yaml"}, &Lab::is_new},
      {"plan of a replacement", {"plan", "job.yaml"}, &Lab::is_replaced},
      {"apply", {"apply", "job.yaml"}, &Lab::is_new},
      {"apply --replace", {"apply", "job.yaml", "--replace", "--yes"}, &Lab::is_replaced},
      {"apply --wait", {"apply", "job.yaml", "--wait"}, &Lab::takes_all, true},
      {"status of all", {"status", "-n", "ml"}},
      {"status of one", {"status", "llama", "-n", "ml"}},
      {"status --watch", {"status", "llama", "-n", "ml", "--watch"}, [](Lab&) {}, true},
      {"logs", {"logs", "llama", "-n", "ml"}},
      {"logs -f", {"logs", "llama", "-n", "ml", "-f"}, [](Lab&) {}, true},
      {"wait", {"wait", "llama", "-n", "ml"}, [](Lab&) {}, true},
      {"diagnose", {"diagnose", "llama", "-n", "ml"}},
      {"cancel", {"cancel", "llama", "-n", "ml", "--yes"}},
      {"cancel by a delete",
       {"cancel", "llama", "-n", "ml", "--yes"},
       [](Lab& lab) { lab.has_job(job_with(R"({"active":1,"ready":1})", kQueued)); },
       false,
       6},
      {"resume",
       {"resume", "llama", "-n", "ml"},
       [](Lab& lab) {
         lab.has_job(kSuspended);
         lab.server.on("PATCH " + kJob,
                       {{.body = kRunning, .does = [&lab] { lab.has_job(kRunning); }}});
       }},
      {"delete", {"delete", "llama", "-n", "ml", "--yes"}, &Lab::is_recorded, false, 6},
      {"delete of what is left",
       {"delete", "llama", "-n", "ml", "--yes"},
       [](Lab& lab) {
         lab.is_recorded();
         lab.goes("GET " + kJob);
       },
       false,
       6},
      {"doctor", {"doctor", "-c", "lab.yaml"}},
      {"discover", {"discover"}},
      {"ping", {"ping"}},
  };
  return rows;
}

/// What a person must know of an interrupted command.
void check_told(const Lab& lab, bool is_within_write) {
  CAPTURE(lab.err);
  CHECK(has(lab.err, "interrupted"));
  const bool is_untouched = has(lab.err, "nothing was changed") || has(lab.err, "is not touched");
  CHECK((is_untouched || !lab.writes().empty()));
  CHECK(has(lab.err, "may be done or not") == is_within_write);
  if (is_within_write) CHECK(has(lab.err, "the same command goes on from here"));
}

/// Interrupts one run at one request. False where the run takes no such request.
bool interrupt(const Verb& verb, std::size_t at, bool is_done, bool& is_write) {
  Lab lab;
  verb.before(lab);
  lab.server.instead(at, {.hangs = true, .is_done = is_done});
  const auto quiet = std::chrono::milliseconds(verb.waits ? 300 : 3'600'000);
  const int code = lab.run_and_interrupt(at + 1, verb.words, quiet);
  const std::vector<SeenRequest> seen = lab.server.seen();
  const bool is_hit = seen.size() > at;
  INFO(verb.what << " at request " << at << (is_done ? ", done" : "") << ": "
                 << (is_hit ? seen[at].method + " " + seen[at].path : "it waits"));
  if (!is_hit && !verb.waits) {
    CHECK(code == 0);
    return false;
  }
  CHECK(code == 130);
  is_write = is_hit && Program::is_write(seen[at]);
  check_told(lab, is_write);
  for (std::size_t i = at + 1; i < seen.size(); ++i) CHECK(!Program::is_write(seen[i]));
  lab.server.forget_faults();
  if (verb.waits) lab.ends();
  const int again = lab.run(verb.words);
  CAPTURE(lab.err);
  CHECK((again == 0 || (is_done && again == verb.once_more)));
  return is_hit;
}

}  // namespace

TEST_CASE("Ctrl-C at any request of any command ends it with 130, and the same command finishes") {
  for (const Verb& verb : verbs()) {
    std::size_t at = 0;
    for (bool is_write = false; interrupt(verb, at, false, is_write); ++at) {
      if (is_write) interrupt(verb, at, true, is_write);
    }
    INFO(verb.what);
    CHECK(at >= 2);
  }
}
