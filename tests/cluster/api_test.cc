// What the API says: refusals without values, discovery, lists, rights.
#include <catch2/catch_test_macros.hpp>

#include "cluster/api/access.h"
#include "cluster/api/calls.h"
#include "cluster/api/discovery.h"
#include "cluster/api/object_list.h"
#include "cluster/client.h"
#include "cluster/replay_server.h"
#include "cluster/time_stamp.h"
#include "tree/typed_fields.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

struct Wire : Client {
  ReplayServer server;
  Connection connection = connection_to(server.address());
  Transport transport{connection, machine};
};

ApiError refusal(int status, const std::string& body) {
  Answer answer;
  answer.status = status;
  answer.body = body;
  return *error_of(answer);
}

std::string review(bool allowed) {
  return std::string(R"({"kind":"SelfSubjectAccessReview","status":{"allowed":)") +
         (allowed ? "true" : "false") + "}}";
}

constexpr const char* kAggregated = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"batch"},"versions":[
    {"version":"v1","freshness":"Current","resources":[
      {"resource":"jobs","scope":"Namespaced","responseKind":{"group":"batch","version":"v1","kind":"Job"}}]},
    {"version":"v1beta1","freshness":"Stale","resources":[
      {"resource":"jobs","scope":"Namespaced","responseKind":{"group":"batch","version":"v1beta1","kind":"Job"}}]}]}]})";

}  // namespace

TEST_CASE("the refusal of an immutable field shows the field and none of the object's values") {
  const std::string value =
      R"(Invalid value: core.PodTemplateSpec{Env:[]core.EnvVar{core.EnvVar{Name:"A", Value:"hunter22: x"}}}: field is immutable)";
  std::string escaped = value;
  for (std::size_t at = 0; (at = escaped.find('"', at)) != escaped.npos; at += 2) {
    escaped.insert(at, "\\");
  }
  const ApiError error = refusal(
      422,
      status_body(
          422, "Invalid", "Job.batch \"j\" is invalid: spec.template: " + value,
          R"({"name":"j","causes":[{"reason":"FieldValueInvalid","field":"spec.template","message":")" +
              escaped + "\"}]}"));
  CHECK(error.is_invalid());
  CHECK(sentence(error) == "spec.template: field is immutable");
  CHECK(error.causes.front().field == "spec.template");
}

TEST_CASE("a value of a refusal is left out, whatever it looks like") {
  const auto said = [](const std::string& message) {
    std::string escaped;
    for (const char c : message)
      escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return refusal(422, status_body(422, "Invalid", "whole hunter22",
                                    R"({"causes":[{"field":"a","message":")" + escaped + "\"}]}"))
        .message;
  };
  CHECK(said("Invalid value: \"hunter22\": must be lower case") == "a: must be lower case");
  CHECK(said("Invalid value: \"{\\\"a\\\": hunter22}\"") == "a: Invalid value");
  CHECK(said("Invalid value: 7: must be greater") == "a: must be greater");
  CHECK(said("Unsupported value: \"hunter22\": supported values: \"A\"") ==
        "a: supported values: \"A\"");
  CHECK(said("Required value: name or generateName is required") ==
        "a: Required value: name or generateName is required");
}

TEST_CASE("a conflict has a cause for each field, with its owner") {
  const ApiError error = refusal(
      409,
      status_body(
          409, "Conflict", "Apply failed with 1 conflict",
          R"({"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"kubectl\" using batch/v1","field":".spec.suspend"}]})"));
  CHECK(error.is_conflict());
  REQUIRE(error.causes.size() == 1);
  CHECK(error.causes[0].field == ".spec.suspend");
  CHECK(error.causes[0].message == "conflict with \"kubectl\" using batch/v1");
}

TEST_CASE("an answer of something else than an API server is reported as such") {
  CHECK(has(sentence(refusal(302, "<html>")), "a portal wants a login"));
  CHECK(has(sentence(refusal(404, "<html>")), "not that of a Kubernetes API server"));
}

TEST_CASE("a sentence of the server moves no cursor, shows no credential and has an end") {
  const std::string long_text(5'000, 'x');
  CHECK(refusal(400, status_body(400, "BadRequest", long_text)).message.size() < 700);
  const std::string token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  CHECK(!has(refusal(400, status_body(400, "BadRequest", "bad " + token)).message, token));
}

TEST_CASE("discovery takes two requests, and knows what each version has") {
  Wire wire;
  wire.server.on("GET /api", {{.body = R"({"kind":"APIGroupDiscoveryList","items":[]})"}});
  wire.server.on("GET /apis", {{.body = kAggregated}});
  ApiError error;
  const auto found = Discovery::of(wire.transport, error);
  REQUIRE(found);
  CHECK(wire.server.seen().size() == 2);
  CHECK(has(wire.server.seen()[0].headers.at("accept"), "g=apidiscovery.k8s.io;v=v2"));
  const ApiResource* const job = found->find("batch/v1", "Job");
  REQUIRE(job != nullptr);
  CHECK(object_path(*job, "ml", "a b") == "/apis/batch/v1/namespaces/ml/jobs/a%20b");
  CHECK(found->find("batch/v2", "Job") == nullptr);
  CHECK(found->find_any("batch", "Job") == job);
  CHECK(found->find("batch/v1beta1", "Job") != nullptr);
  CHECK(found->stale_groups() == std::vector<std::string>{"batch/v1beta1"});
}

TEST_CASE("an older server is asked for each version") {
  Wire wire;
  wire.server.on("GET /api", {{.body = R"({"kind":"APIVersions","versions":["v1"]})"}});
  wire.server.on("GET /apis", {{.body = R"({"kind":"APIGroupList","groups":[{"name":"batch",
    "versions":[{"groupVersion":"batch/v1beta1"},{"groupVersion":"batch/v1"}],
    "preferredVersion":{"groupVersion":"batch/v1"}}]})"}});
  wire.server.on("GET /api/v1", {{.body = R"({"kind":"APIResourceList","resources":[
    {"name":"pods","kind":"Pod","namespaced":true},{"name":"pods/log","kind":"Pod","namespaced":true}]})"}});
  wire.server.on("GET /apis/batch/v1",
                 {{.body = R"({"resources":[{"name":"jobs","kind":"Job","namespaced":true}]})"}});
  ApiError error;
  const auto found = Discovery::of(wire.transport, error);
  REQUIRE(found);
  CHECK(found->size() == 2);
  REQUIRE(found->find_any("", "Pod") != nullptr);
  CHECK(found->find_any("", "Pod")->plural == "pods");
  CHECK(found->stale_groups() == std::vector<std::string>{"batch/v1beta1"});
}

TEST_CASE("discovery says when nothing there is an API server") {
  Wire wire;
  wire.server.on("GET /api", {{.body = "<html>hello</html>"}});
  wire.server.on("GET /apis", {{.body = "{}"}});
  ApiError error;
  CHECK(!Discovery::of(wire.transport, error));
  CHECK(has(error.message, "not that of a Kubernetes API server"));
}

TEST_CASE("a list comes in pages, and begins again when the server has forgotten it") {
  Wire wire;
  const auto page = [](const std::string& name, const std::string& next) {
    return R"({"metadata":{"resourceVersion":"7","continue":")" + next +
           R"("},"items":[{"metadata":{"name":")" + name + "\"}}]}";
  };
  wire.server.on("GET /api/v1/namespaces/ml/pods", {{.body = page("a", "n1")},
                                                    {410, status_body(410, "Expired", "too old")},
                                                    {.body = page("a", "n2")},
                                                    {.body = page("b", "")}});
  const Listed listed = list_objects(wire.transport, {pods_resource(), "ml", "x=y", ""});
  CHECK(!listed.error);
  REQUIRE(listed.items.size() == 2);
  CHECK(string_at(get(listed.items[1], "metadata"), "name") == "b");
  CHECK(listed.resource_version == "7");
  const auto seen = wire.server.seen();
  CHECK(seen[0].path == "/api/v1/namespaces/ml/pods?limit=500&labelSelector=x%3Dy");
  CHECK(seen[3].path == "/api/v1/namespaces/ml/pods?limit=500&labelSelector=x%3Dy&continue=n2");
}

TEST_CASE("a list that is refused has the server's words") {
  Wire wire;
  wire.server.on("GET /api/v1/pods", {{403, status_body(403, "Forbidden", "cannot list pods")}});
  const Listed listed = list_objects(wire.transport, {pods_resource(), "", "", ""});
  REQUIRE(listed.error);
  CHECK(listed.error->is_refused());
  CHECK(listed.error->message == "cannot list pods");
}

TEST_CASE("apply asks for strict validation, our field manager and never for force by itself") {
  const Request call = apply_call(jobs_resource(), "ml", "j", "{}", {.dry_run = true});
  CHECK(call.path ==
        "/apis/batch/v1/namespaces/ml/jobs/"
        "j?fieldManager=trainyard&fieldValidation=Strict&dryRun=All");
  CHECK(call.content_type == "application/apply-patch+yaml");
  CHECK(!has(apply_call(jobs_resource(), "ml", "j", "{}").path, "force"));
}

TEST_CASE("rights that are missing become the Role that would be enough") {
  Wire wire;
  wire.server.on("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                 {{.body = review(false)}});
  const AccessReview found = review_access(wire.transport, {{"get", "", "pods", "ml"},
                                                            {"list", "", "pods", "ml"},
                                                            {"get", "", "pods/log", "ml"},
                                                            {"list", "", "nodes", ""}});
  CHECK(!found.error);
  CHECK(found.missing.size() == 4);
  CHECK(roles_for(found.missing) == R"(apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: trainyard
rules:
- apiGroups: [""]
  resources: [nodes]
  verbs: [list]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: trainyard
  namespace: ml
rules:
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list]
)");
}

TEST_CASE("a time of Kubernetes is read with its fraction and offset, and nothing else is one") {
  CHECK(!read_time("2026-07-29"));
  CHECK(!read_time("2026-02-30T00:00:00Z"));
  CHECK(!read_time("2026-07-29T10:04:05"));
  CHECK(!read_time("2026-07-29T10:04:05.Z"));
  CHECK(!read_time("2026-07-29T25:04:05Z"));
  CHECK(read_time("1970-01-01T00:00:01.5Z") == TimeStamp{1, 500'000'000});
  CHECK(read_time("2026-07-29T10:04:05+02:00") == read_time("2026-07-29T08:04:05Z"));
  CHECK(read_time("2026-07-29T10:04:05.000000001Z") > read_time("2026-07-29T10:04:05Z"));
}
