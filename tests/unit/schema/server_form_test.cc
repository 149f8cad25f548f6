// What two field managers would be refused for if we did not write it as the API server keeps it.

#include "schema/server_form.h"

#include <catch2/catch_test_macros.hpp>

#include "schema/json_text.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::tree_of;

namespace {

/// The `spec` of an object in the form of the server, as JSON.
std::string spec_of(std::string_view api_version, std::string_view kind, std::string_view spec) {
  const SchemaPack& pack = SchemaPack::builtin();
  const SchemaKind* found = pack.find(api_version, kind);
  REQUIRE(found != nullptr);
  Tree tree = tree_of("{spec: " + std::string(spec) + "}");
  Checker checker(pack);
  into_server_form({pack, checker}, *found, tree, tree.root(), kNoOrigin);
  std::string out;
  append_json(tree, tree.find(tree.root(), "spec"), out);
  return out;
}

std::string pod(std::string_view spec) {
  return spec_of("v1", "Pod", spec);
}

}  // namespace

TEST_CASE("a default inside of an atomic list or map is written out") {
  CHECK(spec_of("batch/v1", "Job",
                "{podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: A}]}]}}") ==
        R"({"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":)"
        R"([{"type":"A","status":"True"}]}]}})");
  CHECK(pod("{containers: [{env: [{valueFrom: {fieldRef: {fieldPath: a}}}]}]}") ==
        R"({"containers":[{"env":[{"valueFrom":{"fieldRef":)"
        R"({"fieldPath":"a","apiVersion":"v1"}}}]}]})");
  CHECK(pod("{containers: [{env: [{valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}]}") ==
        R"({"containers":[{"env":[{"valueFrom":{"resourceFieldRef":)"
        R"({"resource":"limits.cpu","divisor":"0"}}}]}]})");
  CHECK(pod("{volumes: [{projected: {sources: [{serviceAccountToken: {path: a}}]}}]}") ==
        R"({"volumes":[{"projected":{"sources":[{"serviceAccountToken":)"
        R"({"path":"a","expirationSeconds":3600}}]}}]})");
  CHECK(spec_of("networking.k8s.io/v1", "NetworkPolicy", "{ingress: [{ports: [{port: 1}]}]}") ==
        R"({"ingress":[{"ports":[{"port":1,"protocol":"TCP"}]}]})");
}

TEST_CASE("a list without a type, in a custom resource, is owned as a whole") {
  const std::string ray =
      spec_of("ray.io/v1", "RayJob", "{rayClusterSpec: {workerGroupSpecs: [{groupName: a}]}}");
  CHECK(ray.find(R"("numOfHosts":1)") != ray.npos);
  // KubeRay 1.6 does not know it, and would refuse the object.
  CHECK(ray.find("priority") == ray.npos);
}

TEST_CASE("a default elsewhere, and one that is given, stay as they are") {
  for (const std::string_view same :
       {R"({"containers":[{"ports":[{"containerPort":1}]}]})",
        R"({"containers":[{"env":[{"valueFrom":{"fieldRef":{"apiVersion":"v2"}}}]}]})"}) {
    CHECK(pod(same) == same);
  }
}

TEST_CASE("zero values that the server does not keep go, and those that say something stay") {
  CHECK(pod("{hostIPC: false, nodeSelector: {}, tolerations: [], containers: "
            "[{tty: false, args: [], env: [{name: A, value: ''}]}]}") ==
        R"({"containers":[{"env":[{"name":"A"}]}]})");
  for (const std::string_view same :
       {R"({"securityContext":{},"automountServiceAccountToken":false})",
        R"({"volumes":[{"emptyDir":{}}],"hostIPC":true})"}) {
    CHECK(pod(same) == same);
  }
  // A custom resource is kept as it is written.
  const std::string_view job_set =
      R"({"replicatedJobs":[{"name":"","template":{"spec":{"template":{"spec":{"hostIPC":false}}}}}]})";
  CHECK(spec_of("jobset.x-k8s.io/v1alpha2", "JobSet", job_set).find(R"("hostIPC":false)") !=
        std::string::npos);
}
