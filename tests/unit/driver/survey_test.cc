// What a dump of a cluster says: which daemons take what of a node, and which signs are known.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "driver/survey/real_nodes.h"
#include "driver/survey/real_operators.h"

using namespace trainyard;

namespace {

/// Nodes of a dump: one with GPUs and a taint, and DaemonSets that end with what is given.
struct Dump {
  MemoryFileSystem files;
  Env env{files, nullptr};
  Session session{env};
  std::optional<Survey> survey;

  RealNode node_with(const std::string& pod) {
    files.files["dump.yaml"] =
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {gpu: 'yes', size: '8'}}, "
        "spec: {taints: [{key: gpu, value: h100, effect: NoSchedule}]}, "
        "status: {allocatable: {cpu: '10', memory: 10Gi}}}\n"
        "- apiVersion: apps/v1\n  kind: DaemonSet\n  metadata: {name: d, namespace: s}\n"
        "  spec: {template: {spec: {containers: [{resources: {requests: {cpu: 500m}}}], " +
        pod + "}}}\n";
    survey = survey_of_dump(session, {"dump.yaml"});
    REQUIRE(survey);
    return real_nodes(*survey).at(0);
  }
};

const std::string kAll = "tolerations: [{operator: Exists}]";

std::string affinity(const std::string& expression) {
  return kAll +
         ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [{matchExpressions: [" +
         expression + "]}]}}}";
}

}  // namespace

TEST_CASE("a DaemonSet takes of the nodes that it tolerates and selects, and of no others") {
  for (const auto& [pod, takes] : std::initializer_list<std::pair<std::string, bool>>{
           {kAll, true},
           {"tolerations: []", false},
           {"tolerations: [{key: gpu, operator: Exists, effect: NoExecute}]", false},
           {"tolerations: [{key: gpu, operator: Exists}]", true},
           {"tolerations: [{key: gpu, value: h100, effect: NoSchedule}]", true},
           {"tolerations: [{key: gpu, value: a100}]", false},
           {kAll + ", nodeSelector: {size: '8'}", true},
           {kAll + ", nodeSelector: {size: '4'}", false},
           {affinity("{key: gpu, operator: In, values: ['yes']}"), true},
           {affinity("{key: gpu, operator: DoesNotExist}"), false},
       }) {
    INFO(pod);
    Dump dump;
    const RealNode node = dump.node_with(pod);
    CHECK(node.for_jobs("cpu").text() == (takes ? "9500m" : "10"));
    CHECK(node.for_jobs("memory").text() == "10Gi");
    CHECK(node.daemons == (takes ? 1U : 0U));
  }
}

TEST_CASE("an object that is in a dump twice counts once, as it was last") {
  Dump dump;
  dump.node_with(kAll);
  dump.files.files["later.yaml"] =
      "{apiVersion: v1, kind: Node, metadata: {name: node-1}, status: {allocatable: {cpu: '4'}}}\n";
  const auto survey = survey_of_dump(dump.session, {"dump.yaml", "later.yaml"});
  REQUIRE(survey);
  REQUIRE(survey->kind("Node").items.size() == 1);
  CHECK(real_nodes(*survey).at(0).allocatable.at("cpu").text() == "4");
}

TEST_CASE("each operator of a Cluster has its sign, of a kind that surveys look for") {
  const DiscoverySigns& signs = discovery_signs();
  REQUIRE(signs.operators.size() == words(Operator{}).size());
  for (std::size_t i = 0; i < signs.operators.size(); ++i) {
    const OperatorSign& sign = signs.operators[i];
    INFO(sign.kind);
    CHECK(static_cast<std::size_t>(sign.which) == i);
    CHECK((!sign.image.empty() || sign.which == Operator::Hyperpod));  // not public
    CHECK(std::ranges::any_of(signs.kinds,
                              [&](const auto& each) { return name_of(each) == sign.kind; }));
  }
  for (const GitOpsSign& sign : signs.gitops) {
    CHECK(std::ranges::any_of(signs.kinds,
                              [&](const auto& each) { return name_of(each) == sign.kind; }));
  }
}

TEST_CASE("the call that prints a dump asks for no Secrets") {
  const std::string call = dump_call();
  CHECK(call.find("secret") == std::string::npos);
  CHECK(call.find("|nodes|") != std::string::npos);
  CHECK(call.find("clusterqueues") != std::string::npos);
}
