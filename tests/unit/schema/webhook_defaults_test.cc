#include "schema/webhook_defaults.h"

#include <catch2/catch_test_macros.hpp>

#include "schema/schema_check.h"
#include "unit/schema/built_pack.h"
#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::Lines;
using trainyard::testing::tree_of;

namespace {

const SchemaPack& pack() {
  return SchemaPack::builtin();
}

/// Violations of an object of a kind in the program, without warnings.
Lines faults(std::string_view api_version, std::string_view kind, std::string_view spec,
             std::string_view old_spec = {}) {
  const auto whole = [&](std::string_view text) {
    return tree_of("{metadata: {name: a}, apiVersion: " + std::string(api_version) +
                   ", kind: " + std::string(kind) + ", spec: " + std::string(text) + "}");
  };
  const Tree tree = whole(spec);
  const Tree old = whole(old_spec.empty() ? spec : old_spec);
  const SchemaKind* found = pack().find(api_version, kind);
  REQUIRE(found != nullptr);
  Lines result;
  for (const Violation& each :
       Checker(pack()).check_object(*found, tree, tree.root(), old_spec.empty() ? nullptr : &old)) {
    if (each.severity == Severity::Error) result.push_back(each.path + ": " + each.message);
  }
  return result;
}

Lines jobset(std::string_view spec, std::string_view old_spec = {}) {
  return faults("jobset.x-k8s.io/v1alpha2", "JobSet", spec, old_spec);
}

Lines group(std::string_view spec) {
  return faults("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec);
}

}  // namespace

TEST_CASE("the rules of a JobSet's failure policy need no name, which its webhook makes up") {
  CHECK(jobset("{failurePolicy: {rules: [{action: FailJobSet}, {action: RestartJobSet}]}}") ==
        Lines{});
  CHECK(jobset("{failurePolicy: {rules: [{name: a}]}}") ==
        Lines{"spec.failurePolicy.rules[0]: missing field `action`"});
}

TEST_CASE("a made up name is no change of the failure policy") {
  const std::string old =
      "{failurePolicy: {rules: [{name: failurePolicyRule0, action: FailJobSet}]}}";
  CHECK(jobset("{failurePolicy: {rules: [{action: FailJobSet}]}}", old) == Lines{});
  CHECK(jobset("{failurePolicy: {rules: [{name: a, action: FailJobSet}]}}", old) ==
        Lines{"spec.failurePolicy: Value is immutable"});
}

TEST_CASE("what a JobSet's webhook fills in is compared when it may not change") {
  CHECK(jobset("{}", "{successPolicy: {operator: All}}") == Lines{});
  CHECK(jobset("{successPolicy: {operator: All}}", "{}") == Lines{});
  CHECK(
      jobset(
          "{network: {subdomain: s}}",
          "{network: {subdomain: s, enableDNSHostnames: true, publishNotReadyAddresses: true}}") ==
      Lines{});
  CHECK(jobset("{}", "{successPolicy: {operator: Any}}") ==
        Lines{"spec.successPolicy: Value is immutable"});
  CHECK(jobset("{network: {enableDNSHostnames: false}}", "{}") ==
        Lines{"spec.network: Value is immutable"});
  // What is there is not completed where the webhook looks at the whole only.
  CHECK(jobset("{successPolicy: {}}") == Lines{"spec.successPolicy: missing field `operator`"});
}

TEST_CASE("an empty word that a LeaderWorkerSet's webhook replaces is none that is wrong") {
  const auto with = [](const std::string& strategy, const std::string& policy) {
    return group("{rolloutStrategy: {type: " + strategy +
                 "}, leaderWorkerTemplate: {restartPolicy: " + policy +
                 ", workerTemplate: {spec: {containers: [{name: a}]}}}}");
  };
  CHECK(with("\"\"", "\"\"") == Lines{});
  CHECK(with("Rolling", "None") ==
        Lines{"spec.rolloutStrategy.type: found `Rolling`, wanted `RollingUpdate`"});
}

TEST_CASE("a LeaderWorkerSet's policies are filled in one by one") {
  const std::string work =
      "leaderWorkerTemplate: {workerTemplate: {spec: {containers: [{name: c, image: i}]}}}";
  CHECK(group("{networkConfig: {}, rolloutStrategy: {}, " + work + "}") == Lines{});
  CHECK(group("{networkConfig: {subdomainPolicy: Own}, " + work + "}") ==
        Lines{"spec.networkConfig.subdomainPolicy: `Own` is not one of `Shared` or "
              "`UniquePerReplica`"});
}

TEST_CASE("fields that a CRD does not have are not added") {
  Tree tree = tree_of("{type: object, properties: {spec: {type: object, properties: {}}}}");
  const std::size_t size = tree.size();
  add_filled_fields("jobset.x-k8s.io", "JobSet", tree.root(), tree);
  add_filled_fields("example.com", "JobSet", tree.root(), tree);
  CHECK(tree.size() == size);
}
