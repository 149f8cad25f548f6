#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "check/check_context.h"
#include "diag/sink.h"
#include "policy/policy_checks.h"
#include "schema/pack.h"
#include "schema/schema_check.h"
#include "unit/policy/one_document.h"

using namespace trainyard;
using trainyard::testing::Document;

namespace {

/// How many faults a policy file has.
std::size_t faults(const std::string& yaml) {
  const Document document(yaml);
  Checker checker(SchemaPack::builtin());
  const std::vector<SchemaSource> sources{{SchemaPack::builtin(), checker}};
  return PolicyChecks(document.root(), sources).faults().size();
}

/// What the checks of a policy file find in an object.
std::vector<Diagnostic> found(const std::string& yaml, const std::string& object) {
  const Document policy(yaml);
  PolicyChecks checks(policy.root(), {});
  for (const PolicyFault& each : checks.faults()) UNSCOPED_INFO(each.message);
  REQUIRE(checks.faults().empty());
  const std::vector<std::span<const Check>> tables{checks.rows()};
  CheckSelection selection({}, tables);
  CheckInputs surroundings;
  surroundings.selection = &selection;
  Sink sink;
  CheckContext context(surroundings, sink);
  const Document document(object);
  run_checks(document.root(), {}, {}, context);
  return sink.all();
}

std::string check_of_config_map(const std::string& rule) {
  return "group: acme\nchecks: [{name: acme-a, kinds: [ConfigMap], sentence: A., severity: note, "
         "rules: [" +
         rule + "]}]";
}

std::vector<Diagnostic> found_in_data(const std::string& rule, const std::string& data) {
  return found(check_of_config_map(rule),
               "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: " + data + "}");
}

}  // namespace

TEST_CASE("each format of values finds what Kubernetes refuses") {
  struct Format {
    const char* name;
    const char* right;
    const char* wrong;
    std::size_t faults;
  };
  const Format formats[] = {
      {"configKey", "a.yaml", "a/b", 1},
      {"domainPath", "kueue.x-k8s.io/multikueue", "kueue", 1},
      {"duration", "1h30m", "1 hour", 1},
      {"envName", "A_B", "1 B", 1},
      {"pathSegment", "a:b", "a/b", 1},
      {"portName", "http", "Http!", 1},
      {"schedule", "'0 1 * * *'", "'0 24 * * *'", 1},
      {"ipAddress", "10.0.0.1", "10.0.0.256", 1},
      {"network", "10.0.0.0/8", "10.0.0.0/33", 1},
      {"port", "80", "0", 1},
      {"port", "http", "'-'", 1},
      {"portNumber", "65535", "65536", 1},
      {"share", "50%", "101%", 1},
      {"share", "3", "-1", 1},
      {"labels", "{a: b}", "{a b: c, d: e f}", 2},
      {"labelSelector", "{matchExpressions: [{key: a, operator: Exists}]}",
       "{matchLabels: {a b: c}, matchExpressions: [{key: a, operator: In}]}", 2},
      {"resourceAmounts", "{cpu: 1, memory: 1Gi}", "{cpu: -1, memroy: 1Gi}", 2},
      {"tolerations", "[{key: a, operator: Exists}]", "[{key: a, operator: Exist}, {key: a b}]", 2},
  };
  for (const Format& each : formats) {
    const std::string rule = "{path: data.x, format: " + std::string(each.name) + "}";
    INFO(each.name);
    CHECK(found_in_data(rule, "{x: " + std::string(each.right) + "}").empty());
    CHECK(found_in_data(rule, "{x: " + std::string(each.wrong) + "}").size() == each.faults);
  }
  CHECK(faults(check_of_config_map("{path: data, format: labels, message: a}")) == 1);
  CHECK(found_in_data("{path: data, format: labels, when: size(self) > 2}", "{a b: c}").empty());
}

TEST_CASE("a finding of a format has the severity of the user's check") {
  const std::vector<Diagnostic> all = found_in_data("{path: data, format: labels}", "{a b: c}");
  REQUIRE(all.size() == 1);
  CHECK(all.front().kind == DiagnosticKind::PolicyBroken);
  CHECK(all.front().severity == Severity::Note);
}

TEST_CASE("a message tells the whole fault that a format found") {
  const std::vector<Diagnostic> all =
      found_in_data("{path: data.x, format: domainPath, message: 'manager {{ fault }}'}",
                    "{x: a-name-of-some-length}");
  REQUIRE(all.size() == 1);
  CHECK(all.front().message.ends_with("such as `kueue.x-k8s.io/multikueue`"));
}

TEST_CASE("`within` says where paths begin, by kind") {
  const auto checks = [](const std::string& rules) {
    return "group: acme\nchecks: [{name: acme-a, kinds: [ray.io/RayCluster, ray.io/RayJob], "
           "sentence: A., within: {RayCluster: spec, RayJob: spec.rayClusterSpec}, rules: [" +
           rules + "]}]";
  };
  CHECK(faults(checks("{path: rayVersion, words: [a]}")) == 0);
  CHECK(faults(checks("{path: rayVersions, words: [a]}")) == 2);  // of either kind
  CHECK(faults(checks("{path: entrypoint, words: [a]}")) == 2);   // beside the part
  CHECK(faults(checks("{path: /spec.entrypoint, words: [a]}")) == 0);
  CHECK(faults("group: acme\nchecks: [{name: acme-a, kinds: [ray.io/RayJob], sentence: A., "
               "within: {RayJbo: spec}, rules: [{path: entrypoint, words: [a]}]}]") >= 1);
  // A wrong part is one fault, however many rules begin there.
  CHECK(faults("group: acme\nchecks: [{name: acme-a, kinds: [ray.io/RayJob, ray.io/RayCluster], "
               "sentence: A., within: {RayJob: spec.rayClusterSpc, RayCluster: spec}, rules: ["
               "{path: rayVersion, words: [a]}, {path: suspend, refuse: self, message: m}]}]") ==
        1);
  const auto count = [&](const std::string& rules, const std::string& object) {
    return found(checks(rules), "{apiVersion: ray.io/v1, " + object + "}").size();
  };
  const std::string rule =
      "{path: rayVersion, refuse: part.rayVersion == self && self == 'b', message: m}";
  CHECK(count(rule, "kind: RayCluster, spec: {rayVersion: b}") == 1);
  CHECK(count(rule, "kind: RayJob, spec: {rayClusterSpec: {rayVersion: b}}") == 1);
  CHECK(count(rule, "kind: RayJob, spec: {rayVersion: b}") == 0);
  CHECK(count("{path: /metadata.name, refuse: part == null, message: m}",
              "kind: RayJob, metadata: {name: a}, spec: {}") == 1);
}

TEST_CASE("a field that is null is missing, as after decoding") {
  const auto count = [](const std::string& refuse, const std::string& data) {
    return found_in_data("{path: data, refuse: '" + refuse + "', message: m}", data).size();
  };
  CHECK(count("has(self.a)", "{a: null}") == 0);
  CHECK(count("!has(self.a)", "{a: null}") == 1);
  CHECK(count("self.?a.orValue(\"b\") == \"b\"", "{a: null}") == 1);
  CHECK(count("has(self.a.b) || has(self.a)", "{a: {b: null}}") == 1);
}
