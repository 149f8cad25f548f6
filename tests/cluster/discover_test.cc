// `discover` as a person calls it, against recorded answers.
#include <catch2/catch_test_macros.hpp>

#include "cluster/survey_program.h"

using namespace trainyard;
using namespace trainyard::test;

TEST_CASE("discover prints a document in which doctor finds nothing") {
  SurveyProgram lab;
  REQUIRE(lab.run({"discover"}) == 0);
  CHECK(has(lab.out, "  api: {context: dgx, server: " + lab.server.address() + "}"));
  CHECK(has(lab.out, "metadata:\n  name: dgx #"));
  lab.files.files["lab.yaml"] = lab.out;
  CHECK(lab.run({"doctor", "-c", "lab.yaml"}) == 0);
  CHECK(lab.err.empty());
  CHECK(has(lab.out, "The cluster matches lab.yaml."));
}

TEST_CASE("discover replaces no file, and says how to compare it") {
  SurveyProgram lab;
  lab.files.files["lab.yaml"] = "mine\n";
  CHECK(lab.run({"discover", "-o", "lab.yaml"}) == 1);
  CHECK(has(lab.err, "error: `lab.yaml` already exists, and is unchanged"));
  CHECK(has(lab.err, "`--update lab.yaml`"));
  CHECK(lab.files.files["lab.yaml"] == "mine\n");
  CHECK(lab.server.seen().empty());
  CHECK(lab.run({"discover", "-o", "new.yaml", "--name", "lab"}) == 0);
  CHECK(has(lab.files.files["new.yaml"], "  name: lab #"));
  CHECK(has(lab.files.files["new.yaml"], "machine: dgx-h100"));
}

TEST_CASE("discover --update finds nothing in its own document, and a node that is gone") {
  SurveyProgram lab;
  REQUIRE(lab.run({"discover", "-o", "lab.yaml"}) == 0);
  CHECK(lab.run({"discover", "--update", "lab.yaml"}) == 0);
  CHECK(has(lab.out, "The cluster matches lab.yaml."));
  std::string& text = lab.files.files["lab.yaml"];
  text.replace(text.find("count: "), 8, "count: 9");
  CHECK(lab.run({"discover", "--update", "lab.yaml"}) == 3);
  CHECK(has(lab.err, "and `count` is 9"));
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
