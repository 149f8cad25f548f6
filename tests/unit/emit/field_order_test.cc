#include "emit/field_order.h"

#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "tree/tree.h"

using namespace trainyard;

namespace {

/// A map under construction: `map({{"b", text("1")}, {"a", ...}})`.
class Builder {
 public:
  struct Entry {
    std::string_view key;
    NodeId value;
  };

  NodeId text(std::string_view value = "x") { return tree.add_string(value); }
  NodeId map(std::initializer_list<Entry> entries) {
    const NodeId id = tree.add_map();
    for (const Entry& entry : entries) tree.append(id, entry.key, entry.value);
    return id;
  }
  NodeId list(std::initializer_list<NodeId> items) {
    const NodeId id = tree.add_seq();
    for (NodeId item : items) tree.append(id, item);
    return id;
  }
  NodeId container() {
    return map({{"volumeMounts", list({map({{"mountPath", text()}, {"name", text()}})})},
                {"env", list({map({{"value", text()}, {"name", text("B")}}),
                              map({{"value", text()}, {"name", text("A")}})})},
                {"zeta", text()},
                {"alpha", text()},
                {"args", list({text("b"), text("a")})},
                {"image", text()},
                {"name", text()}});
  }
  NodeId pod_template() {
    return map(
        {{"spec", map({{"volumes", list({map({{"emptyDir", map({})}, {"name", text()}})})},
                       {"containers", list({container()})},
                       {"restartPolicy", text()}})},
         {"metadata", map({{"labels", map({{"b", text()}, {"a", text()}})}, {"name", text()}})}});
  }
  NodeId object(std::string_view api_version, std::string_view kind, NodeId spec) {
    return map({{"spec", spec},
                {"metadata", map({{"namespace", text()}, {"name", text()}})},
                {"kind", text(kind)},
                {"apiVersion", text(api_version)}});
  }

  Tree tree;
};

/// The keys in order, nested ones in parentheses.
std::string shape(const Tree& tree, NodeId id) {
  std::string result;
  for (NodeId child : tree.children(id)) {
    if (!result.empty()) result += ' ';
    const Node& node = tree[child];
    result += node.key.empty() ? node.text : node.key;
    if (node.is_map()) result += "(" + shape(tree, child) + ")";
    if (node.is_seq()) result += "[" + shape(tree, child) + "]";
  }
  return result;
}

constexpr std::string_view kPodTemplate =
    "metadata(name labels(a b)) spec(restartPolicy containers[(name image args[b a] "
    "env[(name value) (name value)] volumeMounts[(name mountPath)] alpha zeta)] "
    "volumes[(name emptyDir())])";

}  // namespace

TEST_CASE("a Job is written as people write it, unknown fields last and lists as they were") {
  Builder b;
  const NodeId job = b.object("batch/v1", "Job",
                              b.map({{"template", b.pod_template()},
                                     {"unknown", b.text()},
                                     {"completions", b.text()},
                                     {"parallelism", b.text()}}));
  order_fields(b.tree, job);
  CHECK(shape(b.tree, job) ==
        "apiVersion kind metadata(name namespace) spec(parallelism completions template(" +
            std::string(kPodTemplate) + ") unknown)");
  const NodeId containers = View(b.tree, job)["spec"]["template"]["spec"]["containers"].id();
  const NodeId env = b.tree.find(b.tree[containers].first, "env");
  CHECK(View(b.tree, b.tree[env].first)["name"].text() == "B");
}

TEST_CASE("a pod template is recognised wherever it is nested") {
  Builder b;
  const NodeId jobset = b.object(
      "jobset.x-k8s.io/v1alpha2", "JobSet",
      b.map({{"replicatedJobs",
              b.list({b.map({{"template", b.map({{"spec", b.map({{"template", b.pod_template()},
                                                                 {"suspend", b.text()}})}})},
                             {"replicas", b.text()},
                             {"name", b.text()}})})}}));
  order_fields(b.tree, jobset);
  CHECK(shape(b.tree, View(b.tree, jobset)["spec"].id()) ==
        "replicatedJobs[(name replicas template(spec(suspend template(" +
            std::string(kPodTemplate) + "))))]");

  const NodeId pytorch = b.object(
      "kubeflow.org/v1", "PyTorchJob",
      b.map({{"pytorchReplicaSpecs",
              b.map({{"Worker", b.map({{"template", b.pod_template()}, {"replicas", b.text()}})},
                     {"Master", b.map({})}})}}));
  order_fields(b.tree, pytorch);
  CHECK(shape(b.tree, View(b.tree, pytorch)["spec"].id()) ==
        "pytorchReplicaSpecs(Master() Worker(replicas template(" + std::string(kPodTemplate) +
            ")))");

  const NodeId foreign = b.object(
      "example.com/v1", "Trial",
      b.map({{"parts", b.list({b.map({{"pod", b.pod_template()}, {"name", b.text()}})})}}));
  order_fields(b.tree, foreign);
  CHECK(shape(b.tree, View(b.tree, foreign)["spec"].id()) ==
        "parts[(name pod(" + std::string(kPodTemplate) + "))]");
}

TEST_CASE("the same kind name in another group has another order") {
  Builder b;
  const auto spec_order = [&](std::string_view group) {
    const NodeId job = b.object(
        group, "Job",
        b.map({{"tasks", b.list({})}, {"ttlSecondsAfterFinished", b.text()}, {"queue", b.text()}}));
    order_fields(b.tree, job);
    return shape(b.tree, View(b.tree, job)["spec"].id());
  };
  CHECK(spec_order("batch.volcano.sh/v1alpha1") == "queue ttlSecondsAfterFinished tasks[]");
  CHECK(spec_order("batch/v1") == "ttlSecondsAfterFinished queue tasks[]");
}

TEST_CASE("user maps go by bytes and resources begin with cpu and memory") {
  Builder b;
  const NodeId pod = b.map({{"requests", b.map({{"nvidia.com/gpu", b.text()},
                                                {"amd.com/gpu", b.text()},
                                                {"memory", b.text()},
                                                {"cpu", b.text()}})}});
  const NodeId job =
      b.object("v1", "Pod", b.map({{"containers", b.list({b.map({{"resources", pod}})})}}));
  order_fields(b.tree, job);
  CHECK(shape(b.tree, pod) == "requests(cpu memory amd.com/gpu nvidia.com/gpu)");

  const NodeId data =
      b.map({{"b", b.text()}, {"B", b.text()}, {"name", b.text()}, {"a", b.text()}});
  const NodeId config =
      b.map({{"data", data}, {"kind", b.text("ConfigMap")}, {"apiVersion", b.text("v1")}});
  order_fields(b.tree, config);
  CHECK(shape(b.tree, config) == "apiVersion kind data(B a b name)");
}

TEST_CASE(
    "ordering does not depend on the order that came in, and doing it twice changes nothing") {
  Builder b;
  const NodeId one = b.container();
  NodeId last = kNoNode;
  const NodeId other = b.tree.add_map();
  std::vector<NodeId> children;
  for (NodeId child : b.tree.children(b.container())) children.insert(children.begin(), child);
  b.tree.reorder(other, children);
  for (NodeId root : {one, other}) {
    last = b.object("v1", "Pod", b.map({{"containers", b.list({root})}}));
    order_fields(b.tree, last);
  }
  CHECK(shape(b.tree, one) == shape(b.tree, other));
  const std::string before = shape(b.tree, last);
  order_fields(b.tree, last);
  CHECK(shape(b.tree, last) == before);
}

TEST_CASE("odd objects are left in peace") {
  Builder b;
  order_fields(b.tree, kNoNode);
  const NodeId scalar = b.text();
  order_fields(b.tree, scalar);
  CHECK(b.tree[scalar].text == "x");
  const NodeId odd =
      b.map({{"spec", b.text()}, {"metadata", b.list({b.text()})}, {"kind", b.map({})}});
  order_fields(b.tree, odd);
  CHECK(shape(b.tree, odd) == "kind() metadata[x] spec");
}
