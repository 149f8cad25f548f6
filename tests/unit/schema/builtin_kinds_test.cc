// Kinds of Kubernetes are held by Go types, which let through more than the document of the API
// says.

#include <catch2/catch_test_macros.hpp>

#include "schema/check.h"
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
