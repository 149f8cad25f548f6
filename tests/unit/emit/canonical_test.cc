#include "emit/canonical.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

namespace {

struct Pod {
  Tree tree;
  NodeId object = kNoNode;
  NodeId limits = kNoNode;
  NodeId volume = kNoNode;

  Pod() {
    object = tree.add_map();
    tree.append(object, "apiVersion", tree.add_string("v1"));
    tree.append(object, "kind", tree.add_string("Pod"));
    const NodeId spec = tree.add_map();
    tree.append(object, "spec", spec);
    limits = add_map(add_map(add_item(spec, "containers"), "resources"), "limits");
    volume = add_item(spec, "volumes");
  }
  NodeId add_map(NodeId parent, std::string_view key) {
    const NodeId id = tree.add_map();
    tree.append(parent, key, id);
    return id;
  }
  NodeId add_item(NodeId parent, std::string_view key) {
    const NodeId list = tree.add_seq();
    tree.append(parent, key, list);
    const NodeId item = tree.add_map();
    tree.append(list, item);
    return item;
  }
};

}  // namespace

TEST_CASE("quantities become the strings that Kubernetes prints") {
  Pod pod;
  const NodeId cpu = pod.tree.add(Kind::Float, "0.5");
  const NodeId gpu = pod.tree.add(Kind::Int, "8");
  const NodeId memory = pod.tree.add_string("1.5Gi");
  const NodeId wrong = pod.tree.add_string("much");
  pod.tree.append(pod.limits, "cpu", cpu);
  pod.tree.append(pod.limits, "nvidia.com/gpu", gpu);
  pod.tree.append(pod.limits, "memory", memory);
  pod.tree.append(pod.limits, "example.com/x", wrong);
  const NodeId size = pod.tree.add_string("1024Mi");
  pod.tree.append(pod.add_map(pod.volume, "emptyDir"), "sizeLimit", size);

  canonicalise(pod.tree, pod.object);
  CHECK(pod.tree[cpu].text == "500m");
  CHECK(pod.tree[cpu].kind == Kind::String);
  CHECK(pod.tree[gpu].text == "8");
  CHECK(pod.tree[gpu].kind == Kind::String);
  CHECK(pod.tree[memory].text == "1536Mi");
  CHECK(pod.tree[wrong].text == "much");
  CHECK(pod.tree[size].text == "1Gi");
}

TEST_CASE("file modes become decimal, and only they") {
  Pod pod;
  const NodeId secret = pod.add_map(pod.volume, "secret");
  const NodeId mode = pod.tree.add(Kind::Int, "0400");
  const NodeId item_mode = pod.tree.add(Kind::Int, "0o755");
  pod.tree.append(secret, "defaultMode", mode);
  pod.tree.append(pod.add_item(secret, "items"), "mode", item_mode);
  const NodeId label = pod.tree.add_string("0400");
  pod.tree.append(pod.add_map(pod.add_map(pod.object, "metadata"), "labels"), "mode", label);

  canonicalise(pod.tree, pod.object);
  CHECK(pod.tree[mode].text == "256");
  CHECK(pod.tree[mode].kind == Kind::Int);
  CHECK(pod.tree[item_mode].text == "493");
  CHECK(pod.tree[label].text == "0400");
}

TEST_CASE("what is named like a quantity but is not one stays as it is") {
  Pod pod;
  const NodeId data = pod.add_map(pod.add_map(pod.object, "metadata"), "annotations");
  const NodeId text = pod.tree.add_string("1000m");
  pod.tree.append(data, "cpu", text);
  canonicalise(pod.tree, pod.object);
  CHECK(pod.tree[text].text == "1000m");
}
