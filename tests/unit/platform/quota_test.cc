// How pools are shared out between queues of Kueue.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tree/yaml_reader.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// A Cluster of two pools of eight GPUs a node: `big` with 4 nodes, `small` with 2.
std::string cluster(const std::string& queues, const std::string& big = "count: 4") {
  return "apiVersion: trainyard/v1alpha1\n"
         "kind: Cluster\n"
         "metadata: {name: lab}\n"
         "spec:\n"
         "  defaults: {namespace: lab, scheduling: {system: kueue}}\n"
         "  pools:\n"
         "    - {name: big, machine: dgx-h100, " +
         big +
         ", labels: {pool: big}, allocatable: {cpu: 100, memory: 1Ti}}\n"
         "    - {name: small, machine: dgx-a100, count: 2, labels: {pool: small}, allocatable: "
         "{cpu: "
         "50, memory: 1Ti}}\n"
         "  queues:\n" +
         queues;
}

Built built(const std::string& text) {
  return build_files({{"cluster.yaml", text}}, {"cluster.yaml"});
}

/// Quotas as `queue/pool/resource: nominal`, or `nominal+borrowing`.
std::map<std::string, std::string> quotas(const std::string& text) {
  const Built result = built(text);
  for (const Diagnostic& report : result.reports) UNSCOPED_INFO(report.message);
  REQUIRE(result.errors == 0);
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("out.yaml", result.text);
  std::map<std::string, std::string> found;
  for (const Tree& tree : read_yaml(sources, file, sink)) {
    const View object(tree, tree.root());
    if (object["kind"].text() != "ClusterQueue") continue;
    for (NodeId group : tree.children(object["spec"]["resourceGroups"].id())) {
      for (NodeId flavor : tree.children(tree.find(group, "flavors"))) {
        const View pool(tree, flavor);
        for (NodeId id : tree.children(pool["resources"].id())) {
          const View share(tree, id);
          std::string& value =
              found[std::string(object["metadata"]["name"].text()) + "/" +
                    std::string(pool["name"].text()) + "/" + std::string(share["name"].text())];
          value = share["nominalQuota"].text();
          if (share["borrowingLimit"]) value += "+" + std::string(share["borrowingLimit"].text());
        }
      }
    }
  }
  return found;
}

std::vector<std::string> messages(const std::string& text) {
  std::vector<std::string> result;
  for (const Diagnostic& report : built(text).reports) {
    result.push_back(std::string(info(report.kind).name) + ": " + report.message);
  }
  return result;
}

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("a queue that has its pools for itself gets all that their nodes have") {
  const auto found = quotas(cluster("    - {name: a}\n"));
  CHECK(found.at("a/big/nvidia.com/gpu") == "32");
  CHECK(found.at("a/big/cpu") == "400");
  CHECK(found.at("a/big/memory") == "4Ti");
  CHECK(found.at("a/small/nvidia.com/gpu") == "16");
  CHECK(found.at("a/small/cpu") == "100");
}

TEST_CASE("a quota fills the pools one after the other, and later queues get the rest") {
  const auto found =
      quotas(cluster("    - {name: a, quota: {nvidia.com/gpu: 36}}\n"
                     "    - {name: b, quota: {nvidia.com/gpu: 12}}\n"));
  CHECK(found.at("a/big/nvidia.com/gpu") == "32");
  CHECK(found.at("a/small/nvidia.com/gpu") == "4");
  CHECK(found.at("b/big/nvidia.com/gpu") == "0");
  CHECK(found.at("b/small/nvidia.com/gpu") == "12");
}

TEST_CASE("a queue's pools are filled in the order in which it names them") {
  const auto found =
      quotas(cluster("    - {name: a, pools: [small, big], quota: {nvidia.com/gpu: 20}}\n"));
  CHECK(found.at("a/small/nvidia.com/gpu") == "16");
  CHECK(found.at("a/big/nvidia.com/gpu") == "4");
}

TEST_CASE("what a quota leaves out comes with the nodes of its GPUs, the last one in full") {
  const auto found =
      quotas(cluster("    - {name: a, pools: [big], quota: {nvidia.com/gpu: 17}}\n"
                     "    - {name: b, pools: [big], quota: {nvidia.com/gpu: 8, cpu: 7}}\n"));
  CHECK(found.at("a/big/cpu") == "300");
  CHECK(found.at("a/big/memory") == "3Ti");
  CHECK(found.at("b/big/cpu") == "7");
  CHECK(found.at("b/big/memory") == "1Ti");
}

TEST_CASE("a resource that only the quota knows of is covered") {
  const auto found = quotas(
      cluster("    - {name: a, pools: [big], quota: {pods: 100, ephemeral-storage: 1Ti}}\n"));
  CHECK(found.at("a/big/pods") == "100");
  CHECK(found.at("a/big/ephemeral-storage") == "1Ti");
  CHECK(found.at("a/big/nvidia.com/gpu") == "32");
}

TEST_CASE("a limit is what may be borrowed beyond the quota, within a cohort") {
  const auto found = quotas(
      cluster("    - {name: a, parent: all, pools: [big], quota: {nvidia.com/gpu: 8}, limit: "
              "{nvidia.com/gpu: 24}}\n"
              "    - {name: b, parent: all, pools: [big], quota: {nvidia.com/gpu: 8}, limit: "
              "{nvidia.com/gpu: 8}}\n"));
  CHECK(found.at("a/big/nvidia.com/gpu") == "8+16");
  CHECK(found.at("b/big/nvidia.com/gpu") == "8+0");
  CHECK(found.at("a/big/cpu") == "100");
}

TEST_CASE("a limit without a cohort has no effect, and that is reported") {
  CHECK(messages(cluster("    - {name: a, pools: [big], limit: {nvidia.com/gpu: 24}}\n")) ==
        Messages{"no-effect: the queue `a` has no other queue to borrow from, so its `limit` has "
                 "no effect"});
}

TEST_CASE("a limit below the quota is an error") {
  CHECK(messages(cluster("    - {name: a, parent: c, pools: [big], quota: {nvidia.com/gpu: 8}, "
                         "limit: {nvidia.com/gpu: 7}}\n")) ==
        Messages{"limit-below-request: the limit `7` of `nvidia.com/gpu` is below what is "
                 "guaranteed, `8`"});
}

TEST_CASE("queues cannot guarantee more than their pools have") {
  CHECK(messages(cluster("    - {name: a, pools: [big], quota: {nvidia.com/gpu: 32}}\n")).empty());
  CHECK(messages(cluster("    - {name: a, pools: [big], quota: {nvidia.com/gpu: 33}}\n")) ==
        Messages{"exceeds-pool: `33` of `nvidia.com/gpu` are guaranteed, and the pools have `32` "
                 "that no queue before has taken"});
  CHECK(messages(cluster("    - {name: a, pools: [big], quota: {nvidia.com/gpu: 30}}\n"
                         "    - {name: b, pools: [big], quota: {nvidia.com/gpu: 3}}\n"))
            .size() == 1);
}

TEST_CASE("two queues on one pool have to say how much each has") {
  CHECK(messages(cluster("    - {name: a, pools: [big]}\n"
                         "    - {name: b, pools: [big], quota: {nvidia.com/gpu: 8}}\n")) ==
        Messages{"missing-fact: the Cluster does not say how much `cpu` of the pool `big` is for "
                 "the queue `a`: "
                 "other queues use the pool as well"});
}

TEST_CASE("an existing queue has its part of a pool, too") {
  CHECK(messages(cluster("    - {name: a, pools: [big]}\n"
                         "    - {name: b, pools: [big], existing: true}\n"))
            .size() == 1);
}

TEST_CASE("a pool without its number of nodes has no quota of itself") {
  CHECK(messages(cluster("    - {name: a, pools: [big]}\n", "zone: x")) ==
        Messages{"missing-fact: the Cluster does not say how much `cpu` of the pool `big` is for "
                 "the queue `a`: "
                 "its number of nodes is not known"});
  const auto found =
      quotas(cluster("    - {name: a, pools: [big], quota: {nvidia.com/gpu: 800}}\n", "zone: x"));
  CHECK(found.at("a/big/nvidia.com/gpu") == "800");
  CHECK(found.at("a/big/cpu") == "10k");
}

TEST_CASE("a device that no pool of the queue has is reported") {
  CHECK(messages(cluster("    - {name: a, pools: [big], quota: {nvidia.com/gpus: 8}}\n")) ==
        Messages{"no-effect: no node of the queue's pools is known to offer `nvidia.com/gpus`"});
}

TEST_CASE("queues in front of one ClusterQueue share it, and cannot say different things of it") {
  const Built result =
      built(cluster("    - {name: a, clusterQueue: all, namespaces: [x]}\n"
                    "    - {name: b, clusterQueue: all, namespaces: [z, x]}\n"));
  CHECK(result.errors == 0);
  CHECK(result.text.find("values:\n      - x\n      - z\n") != std::string::npos);
  CHECK(
      messages(cluster("    - {name: a, clusterQueue: all, quota: {cpu: 1}}\n"
                       "    - {name: b, clusterQueue: all, quota: {cpu: 1}}\n")) ==
      Messages{"conflicting-values: two queues in front of the ClusterQueue `all` state `quota`"});
}

TEST_CASE("slices and shared GPUs are covered under the names that jobs request them by") {
  const auto slices =
      quotas(cluster("    - {name: a, pools: [big]}\n",
                     "count: 4, gpu: {mig: {1g.10gb+me: 1, 3g.40gb: 2}, migStrategy: mixed}"));
  CHECK(slices.at("a/big/nvidia.com/mig-1g.10gb.me") == "4");
  CHECK(slices.at("a/big/nvidia.com/mig-3g.40gb") == "8");
  CHECK(slices.count("a/big/nvidia.com/gpu") == 0);
  const auto single =
      quotas(cluster("    - {name: a, pools: [big]}\n", "count: 4, gpu: {mig: {1g.10gb: 56}}"));
  CHECK(single.at("a/big/nvidia.com/gpu") == "224");
  const auto shared = quotas(cluster(
      "    - {name: a, pools: [big]}\n",
      "count: 4, gpu: {sharing: {mode: time-slicing, replicas: 3, renameByDefault: true}}"));
  CHECK(shared.at("a/big/nvidia.com/gpu.shared") == "96");
}
