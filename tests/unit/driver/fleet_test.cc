// What jobs have in common with those before them is not worked out again. It makes no difference:
// every golden case, changed in many places, comes out of a compilation that has seen all the
// others as it comes out of a fresh one.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "driver/build/compile.h"
#include "driver/build/variants.h"
#include "emit/artifact.h"
#include "emit/provenance.h"
#include "file_text.h"
#include "folders.h"
#include "sample.h"
#include "source/file_system.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

struct Case {
  std::string spec;
  std::string cluster;  // "" for none
};

std::vector<Case> golden_cases() {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(testing::repository() / "golden")) {
    std::string args = testing::read_file_if_any(entry.path() / "args");
    while (args.ends_with('\n')) args.pop_back();
    const bool alone = args == "build spec.yaml";
    const bool in_cluster = args == "build spec.yaml --cluster cluster.yaml" ||
                            args == "build spec.yaml -c cluster.yaml";
    if (!alone && !in_cluster) continue;
    cases.push_back({(entry.path() / "spec.yaml").string(),
                     in_cluster ? (entry.path() / "cluster.yaml").string() : ""});
  }
  std::ranges::sort(cases, {}, &Case::spec);
  return cases;
}

/// All that a user would see.
struct Outcome {
  bool good = false;
  std::string text;
  std::string said;
  std::string why;  // each line is there

  bool operator==(const Outcome&) const = default;
};

void say(std::string& all, const Diagnostic& each) {
  const auto place = [&all](Span span) {
    all += std::to_string(span.file) + ":" + std::to_string(span.begin) + "-" +
           std::to_string(span.end) + " ";
  };
  all += std::to_string(static_cast<int>(each.severity)) + " " + std::string(info(each.kind).name);
  place(each.span);
  all += each.path + ": " + each.message + "\n";
  for (const Label& label : each.labels) {
    place(label.span);
    all += label.text + "\n";
  }
  for (const std::string& note : each.notes) all += note + "\n";
}

class Comparison {
 public:
  explicit Comparison(Compilation& experienced) : experienced_(experienced) {}

  void compile_both(Session& session, const Document& job, const ClusterDocument* cluster) {
    Compilation fresh;
    const Outcome wanted = outcome(session, job, cluster, fresh);
    Outcome got = outcome(session, job, cluster, experienced_);
    if (++compared_ % 4 == 0) {  // answers that were given before count at the third time
      for (int i = 0; i < 2; ++i) got = outcome(session, job, cluster, experienced_);
    }
    CHECK(got.said == wanted.said);
    CHECK(got.text == wanted.text);
    CHECK(got.why == wanted.why);
    CHECK(got.good == wanted.good);
    if (wanted.good) ++good;
    if (!wanted.said.empty()) ++spoken_of;
    if (experienced_.mould.form() != 0 && !experienced_.mould.is_first()) ++of_known_form;
    if (experienced_.mould.is_refilled()) ++refilled;
  }

  std::size_t good = 0;
  std::size_t spoken_of = 0;
  std::size_t of_known_form = 0;
  std::size_t refilled = 0;  // of them

 private:
  static Outcome outcome(Session& session, const Document& job, const ClusterDocument* cluster,
                         Compilation& compilation) {
    session.sink.clear();
    Outcome result;
    result.good = compile(session, job, cluster, "", compilation);
    if (result.good) {
      compilation.mould.write(compilation.objects, result.text);
      result.why = causes(session, compilation);
    }
    for (const Diagnostic& each : session.sink.all()) say(result.said, each);
    session.sink.clear();
    return result;
  }

  static std::string causes(Session& session, const Compilation& compilation) {
    std::string text;
    std::vector<WrittenObject> written;
    write_objects(compilation.objects, text, &written);
    Provenance causes;
    trace(compilation.objects, written, text, compilation.origins, session.sources, causes);
    return provenance_json(causes, text);
  }

  Compilation& experienced_;
  std::size_t compared_ = 0;
};

/// Scalars below `spec` and `metadata`, of which some get another text.
std::vector<NodeId> scalars(const Tree& tree, NodeId id) {
  std::vector<NodeId> found;
  for (NodeId child : tree.children(id)) {
    if (tree[child].is_scalar()) {
      found.push_back(child);
    } else {
      for (NodeId below : scalars(tree, child)) found.push_back(below);
    }
  }
  return found;
}

constexpr std::string_view kTexts[] = {"other",
                                       "a-much-longer-text-than-there-was-before",
                                       "Not_A_Name",
                                       "",
                                       "yes",
                                       "0x1F",
                                       "1.5Gi",
                                       "500m",
                                       "two\nlines\n",
                                       " leading",
                                       "registry.example.com/other:2",
                                       "key: value",
                                       "x/y",
                                       "password123",
                                       "--wandb-token",
                                       "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
                                       "$(MASTER_ADDR)",
                                       "a.b.c"};
constexpr std::string_view kNumbers[] = {"1", "2", "3", "8", "0", "16", "1000", "99999999999"};

void try_case(const Case& each, int changes, std::mt19937& random, Comparison& all) {
  INFO(each.spec);
  RealFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  std::unique_ptr<ClusterDocument> cluster;
  if (!each.cluster.empty()) cluster = read_cluster(session, each.cluster);
  if (!each.cluster.empty() && cluster == nullptr) return;
  for (Document& document : read_inputs({each.spec}, env, session.sources, session.sink,
                                        session.limits, Ambiguity::Refuse)) {
    if (document.kind != "TrainingJob") continue;
    for_each_variant(session, document, [&](Document& job) {
      // A form is learnt when it is seen for the second time.
      for (int i = 0; i < (changes == 0 ? 1 : 3); ++i)
        all.compile_both(session, job, cluster.get());
      const std::vector<NodeId> places = scalars(job.tree, job.tree.root());
      for (int i = 0; i < changes && !places.empty(); ++i) {
        const NodeId place = places[random() % places.size()];
        const Node before = job.tree[place];
        if (before.key == "apiVersion" || before.key == "kind") continue;
        const bool number = before.kind == Kind::Int;
        if (!number && before.kind != Kind::String) continue;
        job.tree[place].text = number ? kNumbers[random() % std::size(kNumbers)]
                                      : kTexts[random() % std::size(kTexts)];
        INFO("at " << before.key << ": " << job.tree[place].text);
        all.compile_both(session, job, cluster.get());
        if (random() % 2 == 0) job.tree[place].text = before.text;
      }
    });
  }
}

// What bench/corpus writes, with more in it.
constexpr std::string_view kFleetSpec = R"(apiVersion: trainyard/v1alpha1
kind: TrainingJob
metadata: {name: dino-123b-0014, namespace: research, labels: {team: vision}}
spec:
  target: TARGET
  image: registry.example.com/train/nemo:25.03
  framework: pytorch
  run: {script: pretrain.py, args: ["--config", "123b.yaml", "--seed", "1518"], workingDir: /work}
  nodes: 4
  gpusPerNode: 8
  resources: {cpu: 8, memory: 64Gi, sharedMemory: 16Gi}
  env: {NCCL_DEBUG: WARN, RUN_ID: "17"}
  secretEnv: {WANDB_API_KEY: {name: wandb, key: api-key}}
  placement: {nodeSelector: {zone: a, rack: "3"}, tolerations: [{key: gpu, operator: Exists}]}
  storage:
    data: {claim: data, mountPath: /data, readOnly: true}
    scratch: {emptyDir: {sizeLimit: 20Gi}, mountPath: /scratch}
  lifecycle: {retries: 3, deadline: 2h, checkpoint: {path: /data/checkpoints}}
  security: {runAsUser: 1000, fsGroup: 1000}
)";

/// Specs that one run compiles, all of the same text.
class Fleet {
 public:
  explicit Fleet(const std::string& text) { files_.files = {{"spec.yaml", text}}; }

  /// The next one, as `change` leaves its tree; null when it leaves none.
  std::unique_ptr<Document> next(const std::function<bool(Tree&)>& change) {
    std::vector<Document> documents = read_inputs({"spec.yaml"}, env_, session.sources,
                                                  session.sink, session.limits, Ambiguity::Refuse);
    REQUIRE(documents.size() == 1);
    auto document = std::make_unique<Document>(std::move(documents.front()));
    return change(document->tree) ? std::move(document) : nullptr;
  }

 private:
  MemoryFileSystem files_;
  Env env_{files_, [](std::size_t) { return FileRead{}; }};

 public:
  Session session{env_};
};

/// Ways in which one node of a spec, and what is below it, can be another one.
enum class Change { OtherText, OtherKind, Removed, Twice, Emptied };
constexpr Change kChanges[] = {Change::OtherText, Change::OtherKind, Change::Removed, Change::Twice,
                               Change::Emptied};

NodeId parent_of(const Tree& tree, NodeId node) {
  for (NodeId id = 0; id < tree.size(); ++id) {
    for (NodeId child : tree.children(id)) {
      if (child == node) return id;
    }
  }
  return kNoNode;
}

/// False where a node cannot be changed in this way. `turn` is which of several texts it gets.
bool apply(Change change, std::size_t turn, Tree& tree, NodeId id) {
  const NodeId parent = parent_of(tree, id);
  if (parent == kNoNode || tree[id].key == "apiVersion" || tree[id].key == "kind") return false;
  Node& node = tree[id];
  switch (change) {
    case Change::OtherText:
      if (node.kind == Kind::Int) {
        node.text = kNumbers[turn % std::size(kNumbers)];
      } else if (node.kind == Kind::String) {
        node.text = kTexts[turn % std::size(kTexts)];
      } else if (node.kind == Kind::Bool) {
        node.text = node.text == "true" ? "false" : "true";
      } else {
        return false;
      }
      return true;
    case Change::OtherKind:
      if (!node.is_scalar()) return false;
      node.kind = node.kind == Kind::String ? Kind::Int : Kind::String;
      if (node.kind == Kind::Int) node.text = "7";
      return true;
    case Change::Removed:
      tree.remove(parent, id);
      return true;
    case Change::Twice: {
      const NodeId copy = tree.copy(tree, id);
      if (tree[parent].is_map()) {
        tree[copy].key = tree.intern(std::string(tree[copy].key) + "-2");
      }
      tree.append(parent, copy);
      return true;
    }
    case Change::Emptied:
      if (node.is_scalar() || node.size == 0) return false;
      while (tree[id].first != kNoNode) tree.remove(id, tree[id].first);
      return true;
  }
  return false;
}

/// A fleet of one spec: each place of it is changed in turn, and changed back.
void vary(const std::string& text, Comparison& all) {
  Fleet fleet(text);
  const auto as_it_is = [](Tree&) { return true; };
  const auto add = [&](const std::function<bool(Tree&)>& change) {
    const auto job = fleet.next(change);
    if (job != nullptr) all.compile_both(fleet.session, *job, nullptr);
    return job != nullptr;
  };
  const std::size_t nodes = fleet.next(as_it_is)->tree.size();
  for (int i = 0; i < 3; ++i) add(as_it_is);
  std::size_t turn = 0;
  for (NodeId id = 0; id < nodes; ++id) {
    for (Change change : kChanges) {
      INFO("node " << id << ", change " << static_cast<int>(change));
      // Twice, for what comes again may be learnt, and then with another text.
      for (const std::size_t step : {std::size_t{0}, std::size_t{0}, std::size_t{1}}) {
        const auto changed = [&](Tree& tree) { return apply(change, turn + step, tree, id); };
        if (!add(changed) || change != Change::OtherText) break;
      }
      ++turn;
    }
    add(as_it_is);
  }
}

}  // namespace

TEST_CASE("a job comes out the same whatever was compiled before") {
  std::vector<Case> cases = golden_cases();
  REQUIRE(cases.size() > 300);
  std::mt19937 random(7);
  Compilation experienced;
  Comparison all(experienced);
  testing::Sample sample(8);
  std::erase_if(cases, [&](const Case&) { return !sample.takes(); });
  for (const Case& each : cases) try_case(each, 4, random, all);
  std::ranges::reverse(cases);
  for (const Case& each : cases) try_case(each, 0, random, all);
  // The cases are what is meant: jobs of known forms, good ones and others.
  CHECK(all.of_known_form > sample.least(1000));
  CHECK(all.good > sample.least(1000));
  CHECK(all.spoken_of > sample.least(1000));
  CHECK(all.refilled > sample.least(500));
}

TEST_CASE("a job of a fleet comes out as if it were alone, wherever it differs from the others") {
  Compilation experienced;
  Comparison all(experienced);
  for (std::string_view target : {"job", "jobset", "pytorchjob", "volcano", "trainjob", "rayjob"}) {
    INFO(target);
    std::string text(kFleetSpec);
    text.replace(text.find("TARGET"), 6, target);
    vary(text, all);
  }
  for (std::string_view name : {"target-pytorchjob-roles", "target-jobset-data",
                                "target-mpijob-4x8", "elastic", "staged-files-mount-path"}) {
    INFO(name);
    vary(testing::read_file_if_any(testing::repository() / "golden" / name / "spec.yaml"), all);
  }
  CHECK(all.refilled > 400);
  CHECK(all.good > 900);
  CHECK(all.spoken_of > 100);
}
