// An object of a known form is judged as the whole check judges it.
#include "schema/form_checker.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "schema/schema_check.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

struct Judges {
  const SchemaPack& pack = SchemaPack::builtin();
  FormChecker forms{pack};
  Checker whole{pack};

  bool whole_is_sound(const SchemaKind& kind, const Tree& tree) {
    return whole.check_object(kind, tree, tree.root()).empty();
  }
};

std::vector<Tree> documents(SourceMap& sources, std::string text) {
  Sink sink;
  std::vector<Tree> trees = read_yaml(sources, sources.add("x.yaml", std::move(text)), sink);
  REQUIRE(!sink.has_errors());
  return trees;
}

const SchemaKind& kind_of(const SchemaPack& pack, const Tree& tree) {
  const View root(tree, tree.root());
  const SchemaKind* kind = pack.find(root["apiVersion"].text(), root["kind"].text());
  REQUIRE(kind != nullptr);
  return *kind;
}

void open(const Tree& tree, NodeId id, NodeId wanted, bool& found, NodeBits& bits) {
  if (id == wanted) found = true;
  for (NodeId child : tree.children(id)) {
    if (!found) open(tree, child, wanted, found, bits);
  }
  if (found) bits.add(id);
}

/// What differs when the scalar `changed` does.
NodeBits opened(const Tree& tree, NodeId changed) {
  NodeBits bits(tree.size());
  bool found = false;
  open(tree, tree.root(), changed, found, bits);
  return bits;
}

constexpr std::string_view kTexts[] = {
    "other",       "",
    "Not_A_Name",  "-1",
    "99999999999", "8",
    "a.b/c",       "/path",
    "name",        "main",
    "1Gi",         "a-text-that-is-longer-than-sixty-three-characters-and-so-no-name-of-anything",
    "Always"};

constexpr std::string_view kJobSet = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: a
    replicas: 2
    template: {spec: {template: {spec: {containers: [{name: main, image: x}]}}}}
  - name: b
    template: {spec: {template: {spec: {containers: [{name: main, image: x}]}}}}
)";

}  // namespace

TEST_CASE("what is wrong beside what differs is found where it depends on that") {
  Judges judges;
  SourceMap sources;
  Tree tree = std::move(documents(sources, std::string(kJobSet)).front());
  const SchemaKind& kind = kind_of(judges.pack, tree);
  SoundForm form;
  REQUIRE(judges.forms.is_sound(kind, tree, tree.root(), form));
  const View jobs = View(tree, tree.root())["spec"]["replicatedJobs"];
  const NodeId name = tree.find(jobs->last, "name");
  tree[name].text = "c";
  CHECK(judges.forms.is_still_sound(kind, tree, tree.root(), opened(tree, name), form));
  tree[name].text = "a";  // which the other one has
  CHECK(!judges.forms.is_still_sound(kind, tree, tree.root(), opened(tree, name), form));
}

TEST_CASE("the head of an object is judged by its own rules") {
  Judges judges;
  SourceMap sources;
  Tree tree = std::move(documents(sources, R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: research
  labels: {team: vision}
  annotations: {long: )" + std::string(200 * 1024, 'x') +
                                               R"(, short: a}
)")
                            .front());
  const SchemaKind& kind = kind_of(judges.pack, tree);
  SoundForm form;
  REQUIRE(judges.forms.is_sound(kind, tree, tree.root(), form));
  const View metadata = View(tree, tree.root())["metadata"];
  const std::string rather_long(50 * 1024, 'y');
  const std::string too_long(60 * 1024, 'y');
  const auto is_sound_with = [&](View place, std::string_view text) {
    const std::string_view before = place->text;
    tree[place.id()].text = text;
    const bool sound =
        judges.forms.is_still_sound(kind, tree, tree.root(), opened(tree, place.id()), form);
    CHECK(sound == judges.whole_is_sound(kind, tree));
    tree[place.id()].text = before;
    return sound;
  };
  CHECK(is_sound_with(metadata["name"], "other"));
  CHECK(!is_sound_with(metadata["name"], "Not_A_Name"));
  CHECK(!is_sound_with(metadata["name"], ""));
  CHECK(is_sound_with(metadata["namespace"], "other"));
  CHECK(!is_sound_with(metadata["namespace"], "a.b"));
  CHECK(is_sound_with(metadata["labels"]["team"], ""));
  CHECK(!is_sound_with(metadata["labels"]["team"], "a b"));
  CHECK(is_sound_with(metadata["annotations"]["short"], "a b"));
  CHECK(is_sound_with(metadata["annotations"]["short"], rather_long));
  CHECK(!is_sound_with(metadata["annotations"]["short"], too_long));
}

TEST_CASE("an object that is not sound is told") {
  Judges judges;
  SourceMap sources;
  Tree tree = std::move(documents(sources, std::string(kJobSet)).front());
  tree[tree.find(tree.find(tree.root(), "metadata"), "name")].text = "Not_A_Name";
  SoundForm form;
  CHECK(!judges.forms.is_sound(kind_of(judges.pack, tree), tree, tree.root(), form));
}

TEST_CASE("with one scalar changed, objects are as sound as the whole check says") {
  Judges judges;
  std::mt19937 random(3);
  std::size_t sound = 0;
  std::size_t unsound = 0;
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(testing::repository() / "golden")) {
    cases.push_back(entry.path());
  }
  std::ranges::sort(cases);
  for (const fs::path& each : cases) {
    std::string text = testing::read_file_if_any(each / "stdout");
    const bool built = testing::read_file_if_any(each / "args").starts_with("build ");
    const bool stream = text.starts_with("# Generated by trainyard");
    if (!built || !stream || text.find("\n---\n") == std::string::npos) continue;
    SourceMap sources;
    Sink sink;
    for (Tree& tree : read_yaml(sources, sources.add("x.yaml", std::move(text)), sink)) {
      INFO(each);
      const View root(tree, tree.root());
      const SchemaKind* known = judges.pack.find(root["apiVersion"].text(), root["kind"].text());
      if (known == nullptr) continue;  // of a user's own target
      const SchemaKind& kind = *known;
      SoundForm form;
      const bool is_sound = judges.forms.is_sound(kind, tree, tree.root(), form);
      CHECK(is_sound == judges.whole_is_sound(kind, tree));
      if (!is_sound) continue;  // of an older release of its operator
      for (int i = 0; i < 12; ++i) {
        const auto id = static_cast<NodeId>(random() % tree.size());
        const Node before = tree[id];
        const bool named = before.key == "apiVersion" || before.key == "kind";
        if (!before.is_scalar() || before.kind == Kind::Bool || named) continue;
        tree[id].text = kTexts[random() % std::size(kTexts)];
        if (before.kind != Kind::String) tree[id].text = random() % 2 == 0 ? "-1" : "99999999999";
        INFO(before.key << ": " << tree[id].text);
        const bool wanted = judges.whole_is_sound(kind, tree);
        CHECK(judges.forms.is_still_sound(kind, tree, tree.root(), opened(tree, id), form) ==
              wanted);
        ++(wanted ? sound : unsound);
        tree[id].text = before.text;
      }
    }
    if (sink.has_errors()) FAIL_CHECK(each << ": " << sink.all().front().message);
  }
  CHECK(sound > 1000);
  CHECK(unsound > 500);
}
