// What of a cluster is drift from a tree, and whose.
#include "driver/plan/drift.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/plan/plan_trees.h"
#include "growth.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

struct World {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};
  std::unique_ptr<SyncStates> states;

  Drift drift(const std::string& tree, const std::string& dump, const std::string& tool = "") {
    files.files = {{"tree/a.yaml", tree}, {"dump.yaml", dump}};
    PlanTreesRequest request;
    request.inputs = {"tree"};
    request.live = {"dump.yaml"};
    request.tool = tool;
    states = read_sync_states(session, request, nullptr, nullptr);
    REQUIRE(!session.sink.has_errors());
    return find_drift(session, *states);
  }
  /// `path: tree -> live, owner` of all fields, in lines.
  std::string lines(const std::string& tree, const std::string& dump,
                    const std::string& tool = "") {
    std::string text;
    for (const DriftedObject& object : drift(tree, dump, tool).objects) {
      for (const DriftedField& each : object.fields) {
        text += each.change.path + ": " + each.change.before + " -> " + each.change.after;
        for (const FieldOwner& owner : each.owners) text += ", " + std::string(owner.manager);
        text += "\n";
      }
    }
    return text;
  }
};

std::string job(const std::string& spec, const std::string& managed = "") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  namespace: ml\n" + managed +
         "spec: {" + spec +
         "template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}\n";
}

std::string owner(const std::string& manager, const std::string& operation,
                  const std::string& fields) {
  return "  managedFields: [{manager: " + manager + ", operation: " + operation +
         ", time: '2026-11-26T08:00:00Z', fieldsV1: " + fields + "}]\n";
}

}  // namespace

TEST_CASE("a dump with nothing of the tree is reported, and all of the tree is missing") {
  World world;
  const Drift drift =
      world.drift(job(""), "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: ml}}");
  REQUIRE(drift.objects.size() == 1);
  CHECK(drift.objects[0].kind == DriftKind::Missing);
  CHECK(world.session.sink.all().size() == 1);
}

TEST_CASE("a default and a field of a controller are no drift") {
  World world;
  const std::string kueue = owner("kueue", "Update", "{'f:spec': {'f:suspend': {}}}");
  CHECK(world.lines(job(""), job("suspend: true, backoffLimit: 6, ", kueue)).empty());
  World plain;
  CHECK(plain.lines(job(""), job("suspend: true, ")).empty());
}

TEST_CASE("a field that the tree sets and another one changed is drift, with its owner") {
  World world;
  const std::string kueue = owner("kueue", "Update", "{'f:spec': {'f:suspend': {}}}");
  CHECK(world.lines(job("suspend: false, "), job("suspend: true, ", kueue)) ==
        "spec.suspend: false -> true, kueue\n");
}

TEST_CASE("a field that the tree leaves out is drift where a person or the tool has written it") {
  const std::string live = "activeDeadlineSeconds: 60, ";
  const std::string fields = "{'f:spec': {'f:activeDeadlineSeconds': {}}}";
  const std::string told = "spec.activeDeadlineSeconds:  -> 60, ";
  const auto lines = [&](const char* manager, const char* operation, const char* tool) {
    World world;
    return world.lines(job(""), job(live, owner(manager, operation, fields)), tool);
  };
  CHECK(lines("kubectl-edit", "Update", "flux") == told + "kubectl-edit\n");
  CHECK(lines("kubectl", "Apply", "flux") == told + "kubectl\n");
  CHECK(lines("kustomize-controller", "Apply", "flux") == told + "kustomize-controller\n");
  CHECK(lines("kustomize-controller", "Apply", "argocd").empty());
  CHECK(lines("kubectl2", "Update", "flux").empty());
}

TEST_CASE("an owner of an item is found by the item's name") {
  const std::string fields =
      "{'f:spec': {'f:template': {'f:spec': {'f:containers': {'k:{\"name\":\"c\"}': {'f:image': "
      "{}}}}}}}";
  World world;
  const std::string live = job("", owner("kubectl-set", "Update", fields));
  std::string tree = job("");
  tree.replace(tree.find("image: x"), 8, "image: z");
  CHECK(world.lines(tree, live) == "spec.template.spec.containers[c].image: z -> x, kubectl-set\n");
}

TEST_CASE("a value of a Secret is in no drift") {
  const auto secret = [](const char* value) {
    return "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: ml}\ndata: {key: " +
           std::string(value) + "}\n";
  };
  World world;
  const Drift drift = world.drift(secret("b2xkb2xkb2xk"), secret("bmV3bmV3bmV3"));
  for (const std::string& text : {drift_text(drift), drift_json(drift)}) {
    CHECK(text.find("b2xk") == std::string::npos);
    CHECK(text.find("bmV3") == std::string::npos);
    CHECK(text.find("data.key") != std::string::npos);
  }
}

TEST_CASE("drift of four times as many objects takes about four times as long to find") {
  const auto make = [](std::size_t count) {
    std::string tree;
    std::string live = "apiVersion: v1\nkind: List\nitems:\n";
    for (std::size_t i = 0; i < count; ++i) {
      const std::string head =
          "apiVersion: v1, kind: ConfigMap, metadata: {namespace: ml, name: a" + std::to_string(i) +
          "}, data: ";
      tree += "---\n{" + head + "{a: x}}\n";
      live += "- {" + head + "{a: " + (i % 2 == 0 ? "x" : "z") + "}}\n";
    }
    World world;
    drift_text(world.drift(tree, live));
  };
  const double found = growth(500, make);
  CHECK(found < kMostGrowth);
}

TEST_CASE("marks that Flux never applies to a claim are no drift, and a changed label is") {
  const auto claim = [](const std::string& metadata) {
    return "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a, namespace: ml" +
           metadata +
           "}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
  };
  const std::string marked =
      claim(", labels: {stage: '2'}, annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}");
  World world;
  CHECK(world.lines(marked, claim(", labels: {stage: '2'}"), "flux").empty());
  CHECK(world.lines(marked, claim(", labels: {stage: '1'}"), "flux") ==
        "metadata.labels.stage: 2 -> 1\n");
}
