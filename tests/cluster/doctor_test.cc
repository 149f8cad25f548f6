// `doctor` as a person calls it, against recorded answers.
#include <catch2/catch_test_macros.hpp>

#include "cluster/survey_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kSecret = "GET /api/v1/namespaces/ml/secrets/registry";

struct Lab : SurveyProgram {
  Lab() {
    files.files["lab.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
        "  defaults: {namespace: ml, imagePullSecrets: [{name: registry}]}\n  pools:\n"
        "    - {name: h100, machine: dgx-h100, count: 2, labels: {node-pool: h100}}\n";
    server.on(kSecret,
              {{.body = R"({"kind":"PartialObjectMetadata","metadata":{"name":"registry"}})"}});
  }
};

}  // namespace

TEST_CASE("doctor without a Cluster document asks no cluster") {
  Lab lab;
  CHECK(lab.run({"doctor", "job.yaml"}) == 2);
  CHECK(has(lab.err, "`doctor` needs `--cluster FILE`"));
  CHECK(lab.server.seen().empty());
}

TEST_CASE("doctor says that a cluster is as its document says, and what is free") {
  Lab lab;
  CHECK(lab.run({"doctor", "-c", "lab.yaml"}) == 0);
  CHECK(lab.err.empty());
  CHECK(has(lab.out, "h100  2      2       1     nvidia.com/gpu  16   12\n"));
  CHECK(has(lab.out, "The cluster matches lab.yaml."));
}

TEST_CASE("a deviation is a finding at its line, and the exit code is 1") {
  Lab lab;
  lab.server.on(kSecret, {{404, status_body(404, "NotFound", "")}});
  CHECK(lab.run({"doctor", "-c", "lab.yaml", "--live"}) == 1);
  CHECK(has(lab.err, "lab.yaml:5:55: error: namespace `ml` has no Secret `registry`"));
  CHECK(!has(lab.out, "The cluster matches"));
  CHECK(lab.run({"doctor", "-c", "lab.yaml", "--output", "json"}) == 1);
  CHECK(has(lab.out, R"("check": "object-missing")"));
  CHECK(has(lab.out, R"("pools": [{"pool": "h100", "nodes": 2, "usable": 2, "idle": 1)"));
}

TEST_CASE("of Secrets doctor asks for metadata alone") {
  Lab lab;
  lab.run({"doctor", "-c", "lab.yaml"});
  std::size_t asked = 0;
  for (const SeenRequest& each : lab.server.seen()) {
    if (!has(each.path, "/secrets")) continue;
    ++asked;
    CHECK(each.headers.at("accept") ==
          "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  }
  CHECK(asked == 1);
}

TEST_CASE("jobs are placed beside what runs") {
  Lab lab;
  CHECK(lab.run({"doctor", "job.yaml", "-c", "lab.yaml"}) == 1);
  CHECK(has(lab.err, "1 of 2 pods of role `worker` has no node left"));
  CHECK(has(lab.err, "with what runs on the cluster now"));
  lab.server.on("GET /api/v1/pods", {{.body = R"({"metadata":{},"items":[]})"}});
  CHECK(lab.run({"doctor", "job.yaml", "-c", "lab.yaml"}) == 0);
  CHECK(has(lab.out, "llama (job) fits\n  2 pods of role worker on 2 nodes of pool h100"));
  // Whatever else is wrong.
  lab.server.on(kSecret, {{404, status_body(404, "NotFound", "")}});
  CHECK(lab.run({"doctor", "job.yaml", "-c", "lab.yaml"}) == 1);
  CHECK(has(lab.out, "llama (job) fits"));
}

TEST_CASE("what may not be read is a note, and rights that are missing are a finding") {
  Lab lab;
  lab.server.on("GET /api/v1/nodes", {{403, status_body(403, "Forbidden", "no")}});
  lab.server.on(kReviews, {{201, R"({"status":{"allowed":false}})"}});
  CHECK(lab.run({"doctor", "-c", "lab.yaml"}) == 1);
  CHECK(has(lab.err, "note: `nodes` are left out"));
  CHECK(has(lab.err, "you lack"));
  CHECK(!has(lab.err, "no node has the labels"));
}

TEST_CASE("a cluster that is lost within the questions ends doctor with 4") {
  Lab lab;
  lab.server.on("GET /api/v1/nodes", {{401, status_body(401, "Unauthorized", "no")}});
  lab.server.on("GET /version", {{401, status_body(401, "Unauthorized", "no")}});
  CHECK(lab.run({"doctor", "-c", "lab.yaml"}) == 4);
}
