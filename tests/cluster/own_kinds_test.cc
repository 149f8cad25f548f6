// A kind of job that only the user's templates know, on a cluster.
#include <catch2/catch_test_macros.hpp>

#include "cluster/apply_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kPolarisJobs = "/apis/polaris.example.com/v1/namespaces/ml/polarisjobs";
const std::string kBert = kPolarisJobs + "/bert";
const std::string kPods = "GET /api/v1/namespaces/ml/pods";
const std::string kLog = "GET /api/v1/namespaces/ml/pods/bert-0/log";

std::string polaris(const std::string& phase, const std::string& image = "r/i:1") {
  return R"({"apiVersion":"polaris.example.com/v1","kind":"PolarisJob","metadata":{"name":"bert","namespace":"ml","uid":"u1","resourceVersion":"7"},"spec":{"workers":1,"image":")" +
         image + R"("},"status":{"phase":")" + phase + R"("}})";
}

std::string pod(bool is_ready) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"bert-0","namespace":"ml","uid":"p1","resourceVersion":"3","labels":{"polaris.example.com/job":"bert","polaris.example.com/index":"0"}},"spec":{"restartPolicy":"Never","containers":[{"name":"main"}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":")" +
         std::string(is_ready ? "True" : "False") +
         R"("}],"containerStatuses":[{"name":"main","restartCount":0,"state":{"terminated":{"exitCode":0}}}]}})";
}

std::string listed(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

std::string changed(const std::string& object) {
  return R"({"type":"MODIFIED","object":)" + object + "}\n";
}

/// A cluster with one PolarisJob, and `ours/kinds.yaml`, which knows the kind.
struct Lab : Program {
  explicit Lab(const std::string& phase, bool is_ready = true) {
    files.files["ours/kinds.yaml"] =
        "- of: [{kind: PolarisJob, wanted: [spec.workers]}]\n"
        "  group: polaris.example.com\n"
        "  version: v1\n"
        "  signs:\n"
        "    - {phase: succeeded, field: phase, is: Done}\n"
        "    - {phase: failed, field: phase, is: Broken}\n"
        "    - {phase: running, field: phase, is: Active}\n"
        "  pods:\n"
        "    - labels: {polaris.example.com/job: '{metadata.name}'}\n"
        "      index: [polaris.example.com/index]\n"
        "  suspend: spec.hold\n"
        "  changes: {refused: [spec.image]}\n";
    files.files["bert.yaml"] =
        "apiVersion: polaris.example.com/v1\nkind: PolarisJob\n"
        "metadata: {name: bert, namespace: ml}\nspec: {workers: 1, image: 'r/i:2'}\n";
    server.on("GET /api", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                                    discovered("", "pods", "Pod") + "]}"}});
    server.on("GET /apis",
              {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                        discovered("polaris.example.com", "polarisjobs", "PolarisJob") + "]}"}});
    server.on("GET " + kBert, {{.body = polaris(phase)}});
    server.on("GET " + kPolarisJobs, {{.body = listed(polaris(phase))}});
    server.on("WATCH " + kPolarisJobs, {{.hangs = true}});
    server.on(kPods, {{.body = listed(pod(is_ready))}});
    server.on("WATCH /api/v1/namespaces/ml/pods", {{.hangs = true}});
  }
  int run_ours(std::vector<std::string> words) {
    words.insert(words.end(), {"--templates", "ours"});
    return run(std::move(words));
  }
};

}  // namespace

TEST_CASE("status, wait and logs find jobs of a kind of the user's templates") {
  Lab lab("Active");
  CHECK(lab.run({"status", "-n", "ml"}) == 0);
  CHECK(!has(lab.out, "bert"));
  CHECK(lab.run_ours({"status", "-n", "ml"}) == 0);
  CHECK(has(lab.out, "PolarisJob/bert  running  1/1"));
  CHECK(lab.run_ours({"status", "bert", "-n", "ml"}) == 0);
  CHECK(has(lab.out, "running"));
  CHECK(lab.run_ours({"status", "bert.yaml"}) == 0);
  CHECK(lab.run({"status", "bert.yaml"}) == 1);
  CHECK(has(lab.err, "`bert.yaml` holds no job"));

  lab.server.on(kLog, {{.pieces = {"2026-07-29T10:00:01Z loss is NaN\n"}}});
  CHECK(lab.run_ours({"logs", "bert", "-n", "ml"}) == 0);
  CHECK(lab.server.seen(kLog).size() == 1);
}

TEST_CASE("a job of the user's kind runs when all its pods do, and ends by its signs") {
  const std::vector<std::string> running = {"wait",  "bert",    "-n",        "ml",
                                            "--for", "running", "--timeout", "300ms"};
  CHECK(Lab("Active").run_ours(running) == 0);
  CHECK(Lab("Active", false).run_ours(running) == 7);
  Lab broken("Active");
  broken.server.on("WATCH " + kPolarisJobs,
                   {{.pieces = {changed(polaris("Broken"))}}, {.hangs = true}});
  CHECK(broken.run_ours({"wait", "bert", "-n", "ml", "--timeout", "20s"}) == 5);
  Lab watched("Active");
  watched.server.on("WATCH " + kPolarisJobs,
                    {{.pieces = {changed(polaris("Done"))}}, {.hangs = true}});
  CHECK(watched.run_ours({"status", "bert", "-n", "ml", "--watch"}) == 0);
  CHECK(has(watched.out, "succeeded"));
}

TEST_CASE("cancel suspends a job of the user's kind by the field that its file names") {
  Lab lab("Active");
  lab.server.on("PATCH " + kBert, {{.body = polaris("Active")}});
  CHECK(lab.run_ours({"cancel", "bert", "-n", "ml", "--yes"}) == 0);
  REQUIRE(lab.server.seen("PATCH " + kBert).size() == 1);
  CHECK(lab.server.seen("PATCH " + kBert).front().body == R"({"spec":{"hold":true}})");
}

TEST_CASE("apply knows which changes a job of the user's kind does not take, and waits for it") {
  Lab lab("Active");
  lab.server.on(
      "PATCH " + kBert,
      {{422, status_body(422, "Invalid", "spec.image: field is immutable",
                         R"({"causes":[{"field":"spec.image","message":"field is immutable"}]})")},
       {.body = polaris("Active", "r/i:2")}});
  CHECK(lab.run_ours({"apply", "bert.yaml"}) == 8);
  CHECK(has(lab.out, "a PolarisJob cannot change in these fields once it exists"));
  CHECK(lab.writes().empty());

  Lab fresh("Active");
  fresh.server.on("PATCH " + kBert, {{.body = polaris("Active", "r/i:2")}});
  fresh.server.on("WATCH " + kPolarisJobs,
                  {{.pieces = {changed(polaris("Broken"))}}, {.hangs = true}});
  CHECK(fresh.run_ours({"apply", "bert.yaml", "--yes", "--wait", "--timeout", "20s"}) == 5);
  CHECK(fresh.run({"apply", "bert.yaml", "--yes", "--wait"}) == 2);
  CHECK(has(fresh.err, "the input has no job"));
}

TEST_CASE("what is wrong with the user's kinds is reported before the cluster is asked") {
  Lab lab("Active");
  lab.files.files["ours/kinds.yaml"] =
      "- of: [{kind: PolarisJob}]\n  group: g.example.com\n  sings: []\n";
  for (const char* command : {"status", "wait", "logs", "diagnose", "cancel", "delete"}) {
    CAPTURE(command);
    CHECK(lab.run_ours({command, "bert", "-n", "ml"}) == 1);
    CHECK(has(lab.err, "ours/kinds.yaml:3:"));
    CHECK(has(lab.err, "no field is named `sings`"));
  }
  CHECK(lab.server.seen().empty());
}
