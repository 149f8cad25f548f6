// What a bar on a terminal would show while a cluster answers.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "cluster/apply_program.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

std::string service(std::size_t number) {
  const std::string name = "s" + std::to_string(number);
  return "apiVersion: v1\nkind: Service\nmetadata: {name: " + name +
         ", namespace: ml}\nspec: {clusterIP: None, selector: {app: " + name + "}}\n---\n";
}

/// So many Services, which the cluster does not have yet, are an input, and are taken.
void take_services(Program& program, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    program.files.files["services.yaml"] += service(i);
    program.server.on("PATCH /api/v1/namespaces/ml/services/s" + std::to_string(i),
                      {{.status = 201, .body = "{}"}});
  }
}

}  // namespace

TEST_CASE(
    "a plan and an apply of many objects tell how far they are, and at last that all is done") {
  Program program;
  take_services(program, 14);  // the first four answers say whether the others are new
  CHECK(program.run({"plan", "services.yaml"}) == 0);
  REQUIRE(!program.told.empty());
  CHECK(program.told.front() == "0 of 10 requests");
  CHECK(program.told.back() == "10 of 10 requests");
  CHECK(program.told.size() > 3);

  CHECK(program.run({"apply", "services.yaml"}) == 0);
  CHECK(std::ranges::count(program.told, "10 of 10 requests") == 1);
  CHECK(std::ranges::count(program.told, "0 of 14 requests") == 1);
  CHECK(program.told.back() == "14 of 14 requests");
}

TEST_CASE("a delete tells how many of the recorded objects are gone") {
  Program program;
  program.server.on("GET " + kJob, {{.body = job("llama", "a:1")},
                                    {404, status_body(404, "NotFound", "not found")}});
  program.server.on("DELETE " + kJob, {{.body = "{}"}});
  std::string objects;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "s" + std::to_string(i);
    objects += (i == 0 ? "" : ",") +
               (R"({\"apiVersion\":\"v1\",\"kind\":\"Service\",\"namespace\":\"ml\",\"name\":\")" +
                name + R"(\",\"uid\":\"u\"})");
    program.server.on("DELETE /api/v1/namespaces/ml/services/" + name, {{.body = "{}"}});
  }
  program.server.on(
      "GET " + kRecord,
      {{.body =
            R"({"metadata":{"name":"trainyard-llama","namespace":"ml"},"data":{"job":"llama","objects":"[)" +
            objects + R"(]"}})"}});
  program.server.on("DELETE " + kRecord, {{.body = "{}"}});
  CHECK(program.run({"delete", "llama", "-n", "ml", "--yes"}) == 0);
  CHECK(program.told == Writes{"0 of 6 objects", "1 of 6 objects", "2 of 6 objects",
                               "3 of 6 objects", "4 of 6 objects", "5 of 6 objects",
                               "6 of 6 objects"});
}

TEST_CASE("a few objects need no bar") {
  Program program;
  program.takes_all();
  CHECK(program.run({"apply", "job.yaml"}) == 0);
  CHECK(program.told.empty());
}
