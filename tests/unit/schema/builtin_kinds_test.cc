// Kinds of Kubernetes are held by Go types, which let through more than the document of the API
// says.

#include <catch2/catch_test_macros.hpp>

#include "schema/schema_check.h"
#include "unit/schema/built_pack.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::Lines;
using trainyard::testing::tree_of;

namespace {

Lines faults(std::string_view api_version, std::string_view kind, std::string_view rest) {
  const SchemaPack& pack = SchemaPack::builtin();
  const Tree tree =
      tree_of("{apiVersion: " + std::string(api_version) + ", kind: " + std::string(kind) +
              ", metadata: {name: a}, " + std::string(rest) + "}");
  Lines result;
  for (const Violation& each :
       Checker(pack).check_object(*pack.find(api_version, kind), tree, tree.root())) {
    const std::string severity = each.severity == Severity::Warning ? "warning: " : "";
    result.push_back(severity + each.path + ": " + each.message);
  }
  return result;
}

Lines pod(std::string_view spec) {
  return faults("v1", "Pod", "spec: " + std::string(spec));
}

}  // namespace

TEST_CASE("a field that the server takes for empty is a warning in a kind of Kubernetes") {
  CHECK(faults("batch/v1", "Job", "spec: {podFailurePolicy: {}, template: {}}") ==
        Lines{"warning: spec.podFailurePolicy: missing field `rules`, which counts as empty"});
  CHECK(pod("{containers: [{name: a}], securityContext: {sysctls: [{name: a}]}}") ==
        Lines{"warning: spec.securityContext.sysctls[0]: missing field `value`, which counts as "
              "empty"});
  CHECK(pod("{containers: [{name: a}], securityContext: {sysctls: [{value: a}]}}") ==
        Lines{"spec.securityContext.sysctls[0]: missing field `name`"});
}

TEST_CASE("a claim for devices without a spec claims nothing, and is taken") {
  CHECK(faults("resource.k8s.io/v1", "ResourceClaim", "") ==
        Lines{"warning: : missing field `spec`, which counts as empty"});
  CHECK(faults("resource.k8s.io/v1", "ResourceClaimTemplate", "spec: {}") ==
        Lines{"warning: spec: missing field `spec`, which counts as empty"});
  CHECK(faults("batch/v1", "CronJob", "").empty() == false);
  CHECK(faults("autoscaling/v2", "HorizontalPodAutoscaler", "spec: {}") ==
        Lines{"spec: missing fields `scaleTargetRef` and `maxReplicas`"});
}

TEST_CASE("the owners that a template gives are not looked at, those of an object are") {
  const std::string owners = "ownerReferences: [{apiVersion: v1, kind: Pod, name: a}]";
  CHECK(faults("batch/v1", "Job", "spec: {template: {metadata: {" + owners + "}, spec: {}}}") ==
        Lines{"warning: spec.template.metadata.ownerReferences[0]: missing field `uid`, which "
              "counts as empty",
              "spec.template.spec: missing field `containers`"});
  const Tree tree =
      tree_of("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, " + owners + "}}");
  const SchemaPack& pack = SchemaPack::builtin();
  const auto found = Checker(pack).check_object(*pack.find("v1", "ConfigMap"), tree, tree.root());
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "metadata.ownerReferences[0]");
  CHECK(found[0].severity == Severity::Error);
}

TEST_CASE("a null in a list of Kubernetes counts as an empty item where the server takes one") {
  CHECK(faults("v1", "ServiceAccount", "secrets: [null]") ==
        Lines{"warning: secrets[0]: `null` where a map is wanted: it counts as an empty one; write "
              "a value or leave it out"});
  CHECK(pod("{containers: [{name: a, command: [null], args: [null]}]}").size() == 2);
  CHECK(pod("{containers: [{name: a, command: [null]}]}")[0].starts_with("warning: "));
  CHECK(pod("{containers: [null]}") == Lines{"spec.containers[0]: found `null`, wanted a map"});
  CHECK(pod("{containers: [{name: a, ports: [null]}]}") ==
        Lines{"spec.containers[0].ports[0]: found `null`, wanted a map"});
  const std::string verbs = "rules: [{verbs: [null], resources: [null]}]";
  for (const std::string& line : faults("rbac.authorization.k8s.io/v1", "Role", verbs)) {
    CHECK(line.starts_with("warning: rules[0]."));
  }
  CHECK(faults("rbac.authorization.k8s.io/v1", "Role", "rules: [null]").size() == 1);
}

TEST_CASE("a custom resource must have what its schema requires") {
  const std::string spec =
      "spec: {replicatedJobs: [{name: a, template: {spec: {podFailurePolicy: {}, template: {}}}}]}";
  CHECK(faults("jobset.x-k8s.io/v1alpha2", "JobSet", spec) ==
        Lines{"spec.replicatedJobs[0].template.spec.podFailurePolicy: missing field `rules`"});
}

TEST_CASE("a doubled item of a set is a warning in a kind of Kubernetes") {
  const Lines found = faults(
      "batch/v1", "Job", "spec: {template: {metadata: {finalizers: [a.b/c, a.b/c]}, spec: {}}}");
  REQUIRE(found.size() >= 1);
  CHECK(found[0].starts_with("warning: spec.template.metadata.finalizers[1]: "));
}

TEST_CASE("the status of a new object of Kubernetes is read and then dropped") {
  const Lines found = faults(
      "batch/v1", "Job", "spec: {template: {}}, status: {conditions: [{}], active: few, other: 1}");
  REQUIRE(found.size() == 2);
  CHECK(found[0].starts_with("status.active: "));
  CHECK(found[1].starts_with("status.other: unknown field"));
}

TEST_CASE("a map in the status of a custom resource where none belongs has unknown fields") {
  CHECK(faults("kubeflow.org/v1", "TFJob",
               "spec: {tfReplicaSpecs: {}}, status: {conditions: {a: b}, startTime: {}}") ==
        Lines{"status.conditions.a: unknown field `a`: found a map, wanted a list"});
  CHECK(faults("kubeflow.org/v1", "TFJob",
               "spec: {tfReplicaSpecs: {}}, status: {conditions: few, startTime: 5}")
            .empty());
}

TEST_CASE("a number that may be a share has 32 bits in a kind of Kubernetes") {
  const std::string begin =
      "spec: {selector: {}, template: {spec: {containers: []}}, strategy: {rollingUpdate: "
      "{maxSurge: ";
  CHECK(faults("apps/v1", "Deployment", begin + "2147483648}}}") ==
        Lines{"spec.strategy.rollingUpdate.maxSurge: found `2147483648`, wanted an integer of 32 "
              "bits"});
  CHECK(faults("apps/v1", "Deployment", begin + "2147483647}}}").empty());
}
