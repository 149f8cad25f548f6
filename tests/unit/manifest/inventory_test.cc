#include "manifest/inventory.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "manifest/versions.h"
#include "source/source_map.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

struct Objects {
  SourceMap sources;
  std::vector<Tree> trees;
  Inventory inventory;

  explicit Objects(const std::string& text, const Inventory* base = nullptr) : inventory(base) {
    Sink sink;
    trees = read_yaml(sources, sources.add("objects.yaml", text), sink, {});
    REQUIRE_FALSE(sink.has_errors());
    for (const Tree& tree : trees) {
      inventory.add(View(tree, tree.root()));
    }
  }
  std::string claim(std::string_view name_space, std::string_view name) const {
    const View found = inventory.find("", "PersistentVolumeClaim", name_space, name);
    return found ? std::string(found["spec"]["volumeName"].text()) : "none";
  }
};

constexpr const char* kClaims = R"(
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: a}, spec: {volumeName: in-a}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {volumeName: anywhere}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: only, namespace: b}, spec: {volumeName: in-b}}
---
{apiVersion: v1, kind: Event, metadata: {name: data, namespace: a}}
)";

TEST_CASE("an object is found by its group, kind, namespace and name", "[check]") {
  const Objects objects(kClaims);
  CHECK(objects.claim("a", "data") == "in-a");
  CHECK(objects.claim("b", "only") == "in-b");
  CHECK(objects.claim("a", "only") == "none");
  CHECK(objects.claim("a", "absent") == "none");
  CHECK(objects.inventory.find("apps", "PersistentVolumeClaim", "a", "data").id() == kNoNode);
}

TEST_CASE("an object that names no namespace may be in any", "[check]") {
  const Objects objects(kClaims);
  CHECK(objects.claim("c", "data") == "anywhere");
  CHECK(objects.claim("", "data") == "anywhere");
  CHECK(objects.claim("", "only") == "in-b");
}

TEST_CASE("kinds that no object refers to are not kept", "[check]") {
  const Objects objects(kClaims);
  CHECK_FALSE(objects.inventory.has("", "Event", "a", "data"));
  CHECK_FALSE(Inventory::takes("v1", "Event"));
  CHECK(Inventory::takes("trainer.kubeflow.org/v1alpha1", "TrainingRuntime"));
  CHECK_FALSE(Inventory::takes("v1", "TrainingRuntime"));
}

TEST_CASE("what the Cluster states exists, though no input has it", "[check]") {
  Inventory stated;
  stated.state("", "PersistentVolumeClaim", "scratch");
  const Objects objects(kClaims, &stated);
  CHECK(objects.inventory.has("", "PersistentVolumeClaim", "a", "scratch"));
  CHECK(objects.claim("a", "scratch") == "none");
  CHECK(objects.inventory.has_any("", "PersistentVolumeClaim"));
  CHECK_FALSE(objects.inventory.has_any("kueue.x-k8s.io", "LocalQueue"));
  CHECK(objects.inventory.all("", "PersistentVolumeClaim").size() == 3);
}

TEST_CASE("a check holds for the releases of its operator's span", "[check]") {
  Versions versions;
  versions.add("trainer", "v2.1.0");
  versions.add("kueue", "not a version");
  CHECK(versions.of("trainer") == Release{2, 1, 0});
  CHECK_FALSE(versions.of("kueue"));

  CHECK(versions.within({}));
  CHECK(versions.within({"trainer", "2.1", {}}));
  CHECK_FALSE(versions.within({"trainer", "2.1.1", {}}));
  CHECK(versions.within({"trainer", "2.0", "2.2"}));
  CHECK_FALSE(versions.within({"trainer", {}, "2.1"}));
  // An operator without a known release is the newest.
  CHECK(versions.within({"kueue", "0.19", {}}));
  CHECK_FALSE(versions.within({"kueue", {}, "0.19"}));
}

TEST_CASE("releases are read as projects write them", "[check]") {
  CHECK(release("v0.12.0") == Release{0, 12, 0});
  CHECK(release("2.3") == Release{2, 3, 0});
  CHECK(release("1.9.4-rc.1") == Release{1, 9, 4});
  CHECK(release("25.12") == Release{25, 12, 0});
  CHECK_FALSE(release("main"));
  CHECK_FALSE(release(""));
}

TEST_CASE("a span is described in words", "[check]") {
  CHECK(OperatorSpan{"jobset", "0.8", {}}.phrase() == "jobset 0.8 and later");
  CHECK(OperatorSpan{"trainer", "2.0", "2.2"}.phrase() == "trainer from 2.0, before 2.2");
  CHECK(OperatorSpan{"trainer", {}, "2.2"}.phrase() == "trainer before 2.2");
  CHECK(OperatorSpan{"volcano", {}, {}}.phrase() == "volcano, any release");
}

}  // namespace
}  // namespace trainyard
