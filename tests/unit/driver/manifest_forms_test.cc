// Of a manifest of a form that came before, only that is looked at which its other texts may
// change. It makes no difference: fleets in which each scalar has another text in turn come out as
// they do one by one.
#include "check/manifest_forms.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/deferred_checks.h"
#include "driver/session/session.h"
#include "driver/session/surroundings.h"
#include "file_text.h"
#include "folders.h"
#include "source/file_system.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kJob = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: llama3-8b-0000
  namespace: nlp
  labels: {app.kubernetes.io/name: training-job, kueue.x-k8s.io/queue-name: research}
spec:
  nprocPerNode: "8"
  runPolicy: {cleanPodPolicy: None, ttlSecondsAfterFinished: 86400, schedulingPolicy: {queue: research}}
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      restartPolicy: OnFailure
      template:
        metadata: {labels: {app.kubernetes.io/instance: llama3-8b-0000}}
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/train/nemo:25.01
            command: [torchrun, pretrain.py]
            args: ["--config", "8b.yaml", "--seed", "1000"]
            env:
            - {name: NCCL_DEBUG, value: WARN}
            - {name: NCCL_SOCKET_IFNAME, value: eth0}
            - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hugging-face, key: token}}}
            resources: {limits: {cpu: "96", memory: 1500Gi, nvidia.com/gpu: 8}}
            volumeMounts:
            - {name: shared-memory, mountPath: /dev/shm}
            - {name: data, mountPath: /data, readOnly: true}
          tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
          volumes:
          - {name: shared-memory, emptyDir: {medium: Memory, sizeLimit: 64Gi}}
          - {name: data, persistentVolumeClaim: {claimName: pile}}
    Worker: *role
)";

constexpr std::string_view kTexts[] = {"other",
                                       "Not_A_Name",
                                       "",
                                       "0",
                                       "500m",
                                       "two\nlines\n",
                                       "x/y",
                                       "$(MASTER_ADDR)",
                                       "--nnodes=3",
                                       "torchrun",
                                       "registry.example.com/other:latest",
                                       "password123",
                                       "data",
                                       "Always",
                                       "llama3-8b-0000",
                                       "WORLD_SIZE",
                                       "v1"};
constexpr std::string_view kNumbers[] = {"0", "1", "2", "-1", "16", "70000", "99999999999"};

struct Trial {
  explicit Trial(const Inventory* its_inventory)
      : env{files, [](std::size_t) { return FileRead{}; }},
        session(env),
        inventory(its_inventory),
        surroundings(surroundings_of(session, nullptr, its_inventory)) {}

  std::vector<std::string> outcome(const Tree& tree, ManifestForms* of) {
    Sink sink;
    const Unfinished rest =
        check_manifest_alone(tree, tree.root(), session.sources, session.schema_sources(),
                             surroundings, sink, nullptr, of);
    std::vector<std::string> said;
    for (const Diagnostic& each : sink.all()) {
      said.push_back(std::string(info(each.kind).name) + " " + std::to_string(each.span.begin) +
                     " " + each.path + ": " + each.message);
      for (const Label& label : each.labels) said.push_back(label.text);
      for (const std::string& note : each.notes) said.push_back(note);
    }
    for (const Check* each : rest.checks) said.emplace_back(each->name);
    for (NodeId each : rest.flagged) said.push_back(std::to_string(each));
    return said;
  }

  void compare(const Tree& tree) {
    const std::vector<std::string> wanted = outcome(tree, nullptr);
    // Answers that were given before count as well, at the third time.
    for (int i = 0; i < 3; ++i) CHECK(outcome(tree, &forms) == wanted);
    if (!wanted.empty()) ++spoken_of;
    ++all;
  }

  /// The manifest again and again, each time with one other text.
  void vary(Tree& tree, std::size_t most) {
    for (int i = 0; i < 3; ++i) compare(tree);
    std::vector<NodeId> scalars;
    for (NodeId id = 0; id < tree.size(); ++id) {
      if (tree[id].is_scalar() && tree[id].kind != Kind::Null) scalars.push_back(id);
    }
    if (scalars.size() > most) {
      std::ranges::shuffle(scalars, random);
      scalars.resize(most);
    }
    for (NodeId id : scalars) {
      const std::string_view before = tree[id].text;
      const Kind kind = tree[id].kind;
      const auto with = [&](std::string_view text) {
        INFO(tree[id].key << ": `" << before << "` -> `" << text << "`");
        tree[id].text = text;
        compare(tree);
        tree[id].text = before;
      };
      if (kind == Kind::Bool) with(before == "true" ? "false" : "true");
      if (kind == Kind::String) {
        for (int i = 0; i < 4; ++i) with(kTexts[random() % std::size(kTexts)]);
      }
      if (kind == Kind::Int) {
        for (int i = 0; i < 3; ++i) with(kNumbers[random() % std::size(kNumbers)]);
      }
    }
  }

  RealFileSystem files;
  Env env;
  Session session;
  const Inventory* inventory;
  Surroundings surroundings;
  ManifestForms forms;
  std::mt19937 random{5};
  std::size_t all = 0;
  std::size_t spoken_of = 0;
};

std::vector<Tree> read(Trial& trial, const std::string& name, std::string_view text) {
  return read_yaml(trial.session.sources, trial.session.sources.add(name, std::string(text)),
                   trial.session.sink, trial.session.limits, Ambiguity::Kubernetes);
}

}  // namespace

TEST_CASE("each text of a PyTorchJob in a fleet counts as it does alone") {
  const Inventory none;
  for (const Inventory* inventory : {&none, static_cast<const Inventory*>(nullptr)}) {
    Trial trial(inventory);
    std::vector<Tree> trees = read(trial, "job.yaml", kJob);
    REQUIRE(trees.size() == 1);
    trial.vary(trees.front(), 1000);
    CHECK(trial.all > 150);
    CHECK(trial.spoken_of > 50);
    // Without the others around it, an object has always some checks that wait for them.
    if (inventory != nullptr) CHECK(trial.spoken_of < trial.all);
  }
}

TEST_CASE("manifests of all kinds in the golden output count in a fleet as they do alone") {
  const Inventory none;
  Trial trial(&none);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(testing::repository() / "golden")) {
    if (fs::exists(entry.path() / "stdout")) paths.push_back(entry.path() / "stdout");
  }
  std::ranges::sort(paths);
  std::set<std::string> seen;
  for (const fs::path& path : paths) {
    const std::string text = testing::read_file(path);
    if (text.find("\napiVersion: ") == std::string::npos) continue;
    INFO(path.string());
    for (Tree& tree : read(trial, path.string(), text)) {
      const View root(tree, tree.root());
      if (!root->is_map()) continue;
      const bool is_new = seen.insert(std::string(string_at(root, "kind"))).second;
      trial.vary(tree, is_new ? 60 : 2);
    }
  }
  CHECK(trial.all > 5000);
  CHECK(trial.spoken_of > 1000);
  CHECK(trial.spoken_of < trial.all);
}

TEST_CASE("a manifest of a known form is not checked against other surroundings by its notes") {
  const Inventory none;
  const Inventory other;
  Trial trial(&none);
  std::vector<Tree> trees = read(trial, "job.yaml", kJob);
  REQUIRE(trees.size() == 1);
  const auto is_known = [&] {
    Sink sink;
    return trial.forms
        .check(trees.front(), trial.session.schema_sources(), trial.surroundings, sink)
        .has_value();
  };
  CHECK_FALSE(is_known());  // seen
  CHECK(is_known());        // learnt
  CHECK(is_known());
  trial.surroundings.inventory = &other;
  CHECK_FALSE(is_known());
}
