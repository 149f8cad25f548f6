// `discover` as a person calls it, against recorded answers.
#include <catch2/catch_test_macros.hpp>

#include "cluster/survey_program.h"

using namespace trainyard;
using namespace trainyard::test;

TEST_CASE("discover prints a document in which doctor finds nothing") {
  SurveyProgram lab;
  REQUIRE(lab.run({"discover"}) == 0);
  CHECK(has(lab.out, "  api: {context: dgx, server: " + lab.server.address() + "}\n"));
  CHECK(has(lab.out, "metadata:\n  name: dgx\n"));
  lab.files.files["lab.yaml"] = lab.out;
  CHECK(lab.run({"doctor", "-c", "lab.yaml"}) == 0);
  CHECK(lab.err.empty());
  CHECK(has(lab.out, "The cluster is as lab.yaml says."));
}

TEST_CASE("discover replaces no file unless it is told to") {
  SurveyProgram lab;
  lab.files.files["lab.yaml"] = "mine\n";
  CHECK(lab.run({"discover", "-o", "lab.yaml"}) == 8);
  CHECK(has(lab.err, "error: `lab.yaml` exists, and nothing was written"));
  CHECK(lab.files.files["lab.yaml"] == "mine\n");
  CHECK(lab.server.seen().empty());
  CHECK(lab.run({"discover", "-o", "lab.yaml", "--force", "--name", "lab"}) == 0);
  CHECK(has(lab.files.files["lab.yaml"], "  name: lab\n"));
  CHECK(lab.run({"discover", "-o", "new.yaml"}) == 0);
  CHECK(has(lab.files.files["new.yaml"], "machine: dgx-h100"));
}

TEST_CASE("discover asks for no Secret, and writes nothing to the cluster") {
  SurveyProgram lab;
  lab.run({"discover"});
  for (const SeenRequest& each : lab.server.seen()) {
    CHECK(!has(each.path, "/secrets"));
    CHECK((each.method == "GET" || has(each.path, "selfsubjectreviews")));
  }
}

TEST_CASE("what may not be read is noted in the document") {
  SurveyProgram lab;
  lab.server.on("GET /api/v1/nodes", {{403, status_body(403, "Forbidden", "no")}});
  CHECK(lab.run({"discover"}) == 0);
  CHECK(has(lab.out, "# `nodes` are left out"));
  CHECK(has(lab.err, "note: `nodes` are left out"));
}
