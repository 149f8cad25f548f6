// Same input, same bytes: whatever the order of keys and files, and wherever they are.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "file_text.h"
#include "folders.h"
#include "tree/yaml_reader.h"
#include "tree/yaml_writer.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// One spec with many maps; variables refer to each other.
const char* const kRich = R"(apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata: {name: rich, namespace: lab, labels: {b: x, a: v}, annotations: {z/z: '1', a/a: '2'}}
spec:
  image: registry.example.com/a:1
  run: {script: train.py}
  nodes: 2
  gpusPerNode: 8
  resources: {cpu: 8, memory: 64Gi, extended: {example.com/b: 1, example.com/a: 2}}
  env: {RUN: $(ROOT)/$(NAME), ROOT: $(CHECKPOINT_DIR)/r, NAME: first, A: $(RUN)}
  secretEnv: {TOKEN: {name: t}, KEY: {name: k}}
  storage:
    scratch: {mountPath: /s, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
    data: {mountPath: /d, create: {size: 1Gi}}
    out: {mountPath: /o, create: {size: 2Gi}}
  placement: {nodeSelector: {rack: a, disk: b}}
  lifecycle: {checkpoint: {path: /o/c}}
  pod: {metadata: {annotations: {v: '1', u: '2'}}, spec: {dnsConfig: {searches: [a], nameservers: [10.0.0.1]}}}
  patches: [{kind: Service, patch: {spec: {sessionAffinity: None, internalTrafficPolicy: Cluster}}}]
)";

std::vector<std::string> specs() {
  std::vector<std::string> result = {kRich};
  const std::filesystem::path examples = repository() / "examples";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(examples)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".yaml") continue;
    const bool of_fleet = entry.path().string().starts_with((examples / "fleet").string());
    if (of_fleet) continue;  // for its own clusters; see golden/examples/fleet
    const std::string text = read_file(entry.path());
    if (text.find("kind: TrainingJob") != std::string::npos) result.push_back(text);
  }
  return result;
}

void shuffle_maps(Tree& tree, NodeId node, std::mt19937& random) {
  std::vector<NodeId> children;
  for (NodeId child : tree.children(node)) children.push_back(child);
  for (NodeId child : children) shuffle_maps(tree, child, random);
  if (!tree[node].is_map()) return;
  std::shuffle(children.begin(), children.end(), random);
  tree.reorder(node, children);
}

std::string shuffled(const std::string& text, std::mt19937& random) {
  Sink sink;
  SourceMap sources;
  std::vector<Tree> trees = read_yaml(sources, sources.add("x.yaml", text), sink);
  REQUIRE(trees.size() == 1);
  shuffle_maps(trees[0], trees[0].root(), random);
  std::string result;
  write_yaml(trees[0], trees[0].root(), result);
  return result;
}

const std::string kCluster = repository().string() + "/examples/clusters/dgx.yaml";

/// For a Cluster, unless the spec names a target, whose operator it may lack.
Built built(const std::string& text) {
  const bool has_target = text.find("\n  target: ") != std::string::npos;
  return build_files({{"job.yaml", text}, {"cluster.yaml", read_file(kCluster)}}, {"job.yaml"},
                     has_target ? "" : "cluster.yaml");
}

}  // namespace

TEST_CASE("the order of keys makes no difference") {
  std::mt19937 random(1);
  for (const std::string& spec : specs()) {
    INFO(spec);
    const Built once = built(spec);
    REQUIRE(once.errors == 0);
    REQUIRE(once.text.find("Job\n") != std::string::npos);
    for (int i = 0; i < 20; ++i) {
      const std::string other = shuffled(spec, random);
      CHECK(built(other).text == once.text);
    }
  }
}

TEST_CASE("the order of files and their directory make no difference") {
  const std::vector<std::string> texts = specs();
  std::map<std::string, std::string> here;
  std::map<std::string, std::string> there;
  std::vector<std::string> forward;
  std::vector<std::string> backward;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    here["job" + std::to_string(i) + ".yaml"] = texts[i];
    there["some/where else/" + std::to_string(texts.size() - i) + ".yaml"] = texts[i];
  }
  for (const auto& [path, text] : here) forward.push_back(path);
  for (const auto& [path, text] : there) backward.insert(backward.begin(), path);
  const Built first = build_files(here, forward);
  CHECK(first.errors == 0);
  CHECK(first.text.size() > 1000);
  CHECK(build_files(there, backward).text == first.text);
  CHECK(build_files(there, {"some"}).text == first.text);
}

TEST_CASE("a session that has compiled before gives the same bytes again") {
  MemoryFileSystem disk;
  disk.files["a.yaml"] = kRich;
  disk.files["b.yaml"] = specs().back();
  disk.files["cluster.yaml"] = read_file(kCluster);
  Env env{disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  BuildRequest request;
  request.cluster = "cluster.yaml";
  request.inputs = {"a.yaml"};
  const std::string first = build(session, request).stream.whole();
  request.inputs = {"b.yaml"};
  CHECK(build(session, request).stream.whole() != first);
  request.inputs = {"a.yaml"};
  CHECK(build(session, request).stream.whole() == first);
  CHECK(first.find("kind: Job") != std::string::npos);
}
