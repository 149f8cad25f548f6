// `plan`, `apply`, `cancel` and `delete` as a person calls them, against recorded answers.
#include <catch2/catch_test_macros.hpp>

#include "cluster/apply_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kWrongParallelism =
    R"({"causes":[{"reason":"FieldValueInvalid","field":"spec.parallelism","message":"Invalid value: -1: must be positive"}]})";

}  // namespace

TEST_CASE("a spec that is wrong reaches no cluster") {
  Program program;
  program.files.files["job.yaml"] += "  nodez: 3\n";
  CHECK(program.run({"apply", "job.yaml"}) == 1);
  CHECK(has(program.err, "nodez"));
  CHECK(program.server.seen().empty());
}

TEST_CASE("a plan writes nothing") {
  Program program;
  program.takes_all();
  CHECK(program.run({"plan", "job.yaml"}) == 0);
  CHECK(has(program.out, "+ Service/llama"));
  CHECK(has(program.out, "+ Job/llama"));
  CHECK(has(program.out, "2 to add. Nothing was written.\n"));
  CHECK(program.writes().empty());
  CHECK(program.run({"plan", "job.yaml", "--check"}) == 3);
}

TEST_CASE("objects are applied in order between two records of them") {
  Program program;
  program.takes_all();
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(program.writes() ==
        Writes{"PATCH " + kRecord, "PATCH " + kService, "PATCH " + kJob, "PATCH " + kRecord});
  const std::vector<SeenRequest> records = program.server.seen("PATCH " + kRecord);
  REQUIRE(records.size() == 2);
  CHECK(has(records[0].body, "\"llama\""));
  CHECK(has(records[1].body, "\"uid\": \"j1\""));
  for (const SeenRequest& each : program.server.seen("PATCH " + kJob)) {
    CHECK(has(each.path, "fieldManager=trainyard"));
    CHECK(has(each.path, "fieldValidation=Strict"));
    CHECK(!has(each.path, "force=true"));
    CHECK(has(each.body, "applyset.kubernetes.io/part-of"));
  }
}

TEST_CASE("what a dry run refuses keeps all others from being written") {
  Program program;
  program.takes_all();
  program.server.on(
      "PATCH " + kJob,
      {{422, status_body(422, "Invalid", "wrong",
                         R"({"causes":[{"field":"spec.parallelism","message":"is wrong"}]})")}});
  CHECK(program.run({"apply", "job.yaml"}) == 1);
  CHECK(has(program.out, "x Job/llama"));
  CHECK(has(program.err, "error: the cluster refuses Job/llama: spec.parallelism: is wrong"));
  CHECK(program.writes().empty());
}

TEST_CASE("a kind that the cluster lacks is reported before anything is written") {
  Program program;
  program.takes_all();
  program.server.on("GET /apis", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[]})"}});
  CHECK(program.run({"apply", "job.yaml"}) == 1);
  CHECK(has(program.out, "install its operator"));
  CHECK(program.writes().empty());
}

TEST_CASE("a running job is replaced only where that is asked for and agreed to") {
  Program program;
  program.runs_another_image();
  CHECK(program.run({"apply", "job.yaml"}) == 8);
  CHECK(has(program.out, "must be replaced: it runs"));
  CHECK(has(program.out, "job.yaml:6:10"));
  CHECK(has(program.err, "--replace"));
  CHECK(program.writes().empty());
}

TEST_CASE("without a terminal a job ends only with --yes") {
  Program program;
  program.runs_another_image();
  CHECK(program.run({"apply", "job.yaml", "--replace"}) == 8);
  CHECK(has(program.err, "`--yes` agrees to it"));
  CHECK(program.writes().empty());
}

TEST_CASE("a replaced job goes with its pods, by its UID, before the new one is made") {
  Program program;
  program.runs_another_image();
  program.server.on("GET " + kJob, {{.body = job("llama", "a:1")},
                                    {404, status_body(404, "NotFound", "not found")}});
  program.server.on("DELETE " + kJob, {{.body = "{}"}});
  CHECK(program.run({"apply", "job.yaml", "--replace", "--yes"}) == 0);
  CHECK(program.writes() ==
        Writes{"PATCH " + kRecord, "DELETE " + kJob, "PATCH " + kJob, "PATCH " + kRecord});
  const std::vector<SeenRequest> deletes = program.server.seen("DELETE " + kJob);
  REQUIRE(deletes.size() == 1);
  CHECK(has(deletes[0].body + deletes[0].path, "Foreground"));
  CHECK(has(deletes[0].body, "j1"));
}

TEST_CASE("a job that is being deleted is not made again where the cluster refuses the new one") {
  Program program;
  program.is_deleting_a_job();
  program.server.on("PATCH " + kJob, {{422, status_body(422, "Invalid", "", kWrongParallelism)}});
  program.server.on("PATCH " + kStandIn,
                    {{422, status_body(422, "Invalid", "", kWrongParallelism)}});
  CHECK(program.run({"apply", "job.yaml"}) == 1);
  CHECK(has(program.out, "spec.parallelism: must be positive"));
  CHECK(program.writes().empty());
}

TEST_CASE(
    "a job that is being deleted is reported as such, whatever the dry run says of a change") {
  for (const bool takes_changes : {true, false}) {
    Program program;
    program.is_deleting_a_job();
    if (takes_changes) program.server.on("PATCH " + kJob, {{.body = job("llama", "a:1")}});
    CHECK(program.run({"plan", "job.yaml", "--check"}) == 3);
    CHECK(has(program.out, "new, once the old one is gone"));
    CHECK(has(program.out,
              "because the old one is being deleted since 2026-07-29T10:00:00Z: `apply` waits"));
    CHECK(!has(program.out, "cannot change"));
    CHECK(!has(program.out, "unchanged Job"));
  }
}

TEST_CASE("apply right after delete waits for the old job and makes the new one, unasked") {
  Program program;
  program.is_deleting_a_job();
  const Reply going = program.going_job();
  program.server.on("GET " + kJob, {going, going, {404, status_body(404, "NotFound", "gone")}});
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(has(program.out, "created Job/llama"));
  CHECK(program.writes() == Writes{"PATCH " + kRecord, "PATCH " + kJob, "PATCH " + kRecord});
  CHECK(program.server.seen("GET " + kJob).size() == 3);
}

TEST_CASE("a job that is being deleted is neither stopped nor resumed") {
  Program program;
  program.server.on("GET " + kJob, {program.going_job()});
  CHECK(program.run({"cancel", "llama", "-n", "ml"}) == 0);
  CHECK(has(program.out, "Job/llama is being deleted already; nothing to stop"));
  CHECK(program.run({"resume", "llama", "-n", "ml"}) == 8);
  CHECK(has(program.err, "`trainyard apply` makes it again once it is gone"));
  CHECK(program.writes().empty());
}

TEST_CASE("a conflict is reported with its manager, and nothing is forced") {
  Program program;
  program.runs_another_image();
  program.server.on(
      "PATCH " + kJob,
      {{409,
        status_body(
            409, "Conflict", "conflict",
            R"({"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"kubectl\" using batch/v1","field":".spec.template.spec.containers[name=\"main\"].image"}]})")}});
  CHECK(program.run({"apply", "job.yaml"}) == 8);
  CHECK(has(program.out, "spec.template.spec.containers[main].image is `kubectl`'s"));
  CHECK(has(program.err,
            "error: `spec.template.spec.containers[main].image` of Job/llama is `kubectl`'s"));
  CHECK(has(program.out, "job.yaml:6:10"));
  CHECK(program.writes().empty());
}

TEST_CASE("what Argo CD keeps is left to it") {
  Program program;
  program.runs_another_image();
  program.server.on(
      "GET " + kJob,
      {{.body = job(
            "llama", "a:1", "j1",
            R"(,"annotations":{"argocd.argoproj.io/tracking-id":"train:batch/Job:ml/llama"})")}});
  CHECK(program.run({"apply", "job.yaml", "--replace", "--yes"}) == 8);
  CHECK(has(program.out, "Argo CD application `train` keeps it"));
  CHECK(program.writes().empty());
}

TEST_CASE("after a loss within the writes the same command finishes them") {
  Program program;
  program.takes_all();
  // The dry run, the write that is lost, then what works.
  program.server.on("PATCH " + kJob,
                    {{.body = job("llama", "a:2")},
                     {500, status_body(500, "", "failed to create typed patch object")},
                     {.body = job("llama", "a:2")}});
  CHECK(program.run({"apply", "job.yaml"}) != 0);
  CHECK(has(program.err, "stopped at Job/llama; the same command goes on from here"));
  CHECK(program.run({"apply", "job.yaml"}) == 0);
}

TEST_CASE("without pruning the record still lists what a later run has to remove") {
  Program program;
  program.takes_all();
  program.server.on(
      "GET " + kRecord,
      {{.body =
            R"({"metadata":{"name":"trainyard-llama","namespace":"ml"},"data":{"job":"llama","objects":"[{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"namespace\":\"ml\",\"name\":\"old\",\"uid\":\"o1\"}]"}})"}});
  CHECK(program.run({"apply", "job.yaml", "--no-prune"}) == 0);
  const std::vector<SeenRequest> records = program.server.seen("PATCH " + kRecord);
  REQUIRE(records.size() == 2);
  CHECK(has(records[1].body, "\"o1\""));
}

TEST_CASE("a job of another group with the same kind and name is removed") {
  Program program;
  const std::string old = "/apis/batch.volcano.sh/v1/namespaces/ml/jobs/llama";
  program.takes_all();
  program.server.on("GET /apis", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[)" +
                                           discovered("batch", "jobs", "Job") + "," +
                                           discovered("batch.volcano.sh", "jobs", "Job") + "]}"}});
  program.server.on(
      "GET " + kRecord,
      {{.body =
            R"({"metadata":{"name":"trainyard-llama","namespace":"ml"},"data":{"job":"llama","objects":"[{\"apiVersion\":\"batch.volcano.sh/v1\",\"kind\":\"Job\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"v1\"}]"}})"}});
  program.server.on("GET " + old,
                    {{.body = R"({"kind":"Job","metadata":{"name":"llama","uid":"v1"}})"}});
  // It lacks the label of the set, so it is listed and kept; before, it was taken for the new Job.
  CHECK(program.run({"plan", "job.yaml"}) == 0);
  CHECK(has(program.err, "Job/llama is kept"));
}

TEST_CASE("a Secret among manifests is not applied without being asked, nor shown") {
  Program program;
  program.files.files["s.yaml"] =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ml}\n"
      "stringData: {password: hunter22}\n";
  CHECK(program.run({"apply", "s.yaml"}) == 1);
  CHECK(has(program.err, "--allow-secrets"));
  CHECK(!has(program.err + program.out, "hunter22"));
  CHECK(program.server.seen().empty());
}

TEST_CASE("nothing asks for a Secret") {
  Program program;
  program.takes_all();
  program.run({"apply", "job.yaml"});
  program.run({"plan", "job.yaml"});
  program.run({"status"});
  for (const SeenRequest& each : program.server.seen()) CHECK(!has(each.path, "/secrets"));
}

TEST_CASE("a job that is not there ends with its own exit code") {
  Program program;
  for (const char* command : {"status", "wait", "diagnose", "cancel", "delete", "resume", "logs"}) {
    CAPTURE(command);
    CHECK(program.run({command, "nobody", "-n", "ml"}) == 6);
    CHECK(has(program.err, "namespace `ml` has no job `nobody`"));
  }
}

TEST_CASE("cancel suspends what can be, and asks first") {
  Program program;
  program.server.on("GET " + kJob, {{.body = job("llama", "a:1")}});
  program.server.on("PATCH " + kJob, {{.body = job("llama", "a:1")}});
  CHECK(program.run({"cancel", "llama", "-n", "ml"}) == 8);
  CHECK(program.writes().empty());
  CHECK(program.run({"cancel", "llama", "-n", "ml", "--yes"}) == 0);
  REQUIRE(program.writes() == Writes{"PATCH " + kJob});
  CHECK(has(program.server.seen("PATCH " + kJob)[0].body, R"({"spec":{"suspend":true}})"));
}

TEST_CASE("a job of a queue of Kueue is deleted, never suspended beside its queue") {
  Program program;
  program.server.on(
      "GET " + kJob,
      {{.body = job("llama", "a:1", "j1", R"(,"labels":{"kueue.x-k8s.io/queue-name":"team-a"})")}});
  program.server.on("DELETE " + kJob, {{.body = "{}"}});
  CHECK(program.run({"cancel", "llama", "-n", "ml", "--yes"}) == 0);
  CHECK(program.writes() == Writes{"DELETE " + kJob});
  CHECK(program.run({"resume", "llama", "-n", "ml"}) == 8);
  CHECK(has(program.err, "waits in queue `team-a`"));
}

TEST_CASE("delete takes what was recorded, and leaves claims") {
  Program program;
  // It goes after its pods, and what it refers to after it.
  program.server.on("GET " + kJob, {{.body = job("llama", "a:1")},
                                    {.body = job("llama", "a:1")},
                                    {404, status_body(404, "NotFound", "not found")}});
  program.server.on("DELETE " + kJob, {{.body = "{}"}});
  program.server.on("DELETE " + kService, {{.body = "{}"}});
  program.server.on(
      "GET " + kRecord,
      {{.body =
            R"({"metadata":{"name":"trainyard-llama","namespace":"ml"},"data":{"job":"llama","objects":"[{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"s1\"},{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"namespace\":\"ml\",\"name\":\"data\",\"uid\":\"p1\"},{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"namespace\":\"ml\",\"name\":\"llama\",\"uid\":\"j1\"}]"}})"}});
  CHECK(program.run({"delete", "llama", "-n", "ml", "--yes"}) == 0);
  CHECK(has(program.out, "kept PersistentVolumeClaim/data"));
  CHECK(program.writes() == Writes{"DELETE " + kJob, "DELETE " + kService});
  CHECK(program.server.seen("GET " + kJob).size() == 3);
}

TEST_CASE("if the first objects are new, the others give metadata, and those that are there all") {
  Program program;
  const std::string services = "/api/v1/namespaces/ml/services/";
  const auto service = [](const std::string& name, const std::string& type) {
    return R"({"apiVersion":"v1","kind":"Service","metadata":{"name":")" + name +
           R"(","namespace":"ml","uid":"u"},"spec":{"type":")" + type + "\"}}";
  };
  std::string& file = program.files.files["many.yaml"];
  for (int i = 0; i < 6; ++i) {
    const std::string name = "s" + std::to_string(i);
    file += "---\napiVersion: v1\nkind: Service\nmetadata: {name: " + name +
            ", namespace: ml}\nspec: {type: NodePort}\n";
    program.server.on("PATCH " + services + name, {{201, service(name, "NodePort")}});
  }
  program.server.on("PATCH " + services + "s5",
                    {{.body = R"({"kind":"PartialObjectMetadata","metadata":{"name":"s5"}})"},
                     {.body = service("s5", "NodePort")}});
  program.server.on("GET " + services + "s5", {{.body = service("s5", "ClusterIP")}});
  CHECK(program.run({"plan", "many.yaml"}) == 0);
  CHECK(has(program.out, "5 to add, 1 to change"));
  CHECK(has(program.out, "- ClusterIP"));
  CHECK(has(program.out, "+ NodePort"));
  const auto asks_for_metadata = [&](const std::string& name) {
    std::string asked;
    for (const SeenRequest& each : program.server.seen("PATCH " + services + name)) {
      asked += has(each.headers.at("accept"), "PartialObjectMetadata") ? "metadata " : "all ";
    }
    return asked;
  };
  CHECK(asks_for_metadata("s0") == "all ");
  CHECK(asks_for_metadata("s4") == "metadata ");
  CHECK(asks_for_metadata("s5") == "metadata all ");
}
