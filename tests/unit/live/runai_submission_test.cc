// Workloads in the form of the API of Run:ai: what `build` writes for its targets, and each
// parameter that differs there.
#include "live/runai/runai_submission.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "folders.h"
#include "tree/json.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

using namespace trainyard;
using trainyard::testing::missing_definitions;
using trainyard::testing::repository;
using trainyard::testing::shared_folder;

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Tree> documents(const std::string& text, SourceMap& sources) {
  Sink sink;
  return read_yaml(sources, sources.add("", text), sink, {}, Ambiguity::Kubernetes);
}

/// The submission of a TrainingWorkload with these parameters, or of another kind.
RunaiSubmission submission(const std::string& spec, const std::string& kind = "TrainingWorkload",
                           const std::string& more = "") {
  SourceMap sources;
  const auto trees = documents("apiVersion: run.ai/v2alpha1\nkind: " + kind +
                                   "\nmetadata: {name: a}\nspec: " + spec + "\n" + more,
                               sources);
  REQUIRE(trees.size() == 1);
  return runai_submission(View(trees.front(), trees.front().root()));
}

/// What is posted of it, without names and IDs.
std::string body(const RunaiSubmission& made) {
  std::string text;
  write_json(made.body, made.body.root(), text, 0);
  return text;
}

std::string problem(const RunaiSubmission& made) {
  return made.problems.empty() ? ""
                               : made.problems.front().field + ": " + made.problems.front().why;
}

/// Compares a body with a schema of the collected document: its fields, types and words.
class DocumentWalker {
 public:
  explicit DocumentWalker(View document) : document_(document) {}

  void check(View value, View schema, const std::string& path) {
    std::vector<View> parts;
    collect(schema, parts);
    if (value->is_map()) return check_map(value, parts, path);
    for (const View part : parts) {
      const std::string_view type = get(part, "type").text();
      if (!type.empty() && !fits(value.kind(), type)) {
        problems.push_back(path + " is no " + std::string(type));
      }
      if (const View words = get(part, "enum")) check_word(value, words, path);
      if (!value->is_seq()) continue;
      for (const View item : Items(value)) check(item, get(part, "items"), path + "[]");
    }
  }

  std::vector<std::string> problems;

 private:
  void collect(View schema, std::vector<View>& parts) {
    if (!schema) return;
    if (const View reference = get(schema, "$ref")) {
      const std::string_view name = reference.text();
      const View schemas = document_["components"]["schemas"];
      return collect(schemas[name.substr(name.rfind('/') + 1)], parts);
    }
    parts.push_back(schema);
    for (const View each : Items(get(schema, "allOf"))) collect(each, parts);
  }

  void check_map(View value, const std::vector<View>& parts, const std::string& path) {
    for (const View each : Items(value)) {
      const auto part = std::ranges::find_if(parts, [&each](View schema) {
        return static_cast<bool>(get(get(schema, "properties"), each.key()));
      });
      const std::string below = path + "." + std::string(each.key());
      if (part == parts.end()) {
        problems.push_back(below + " is unknown");
      } else {
        check(each, get(get(*part, "properties"), each.key()), below);
      }
    }
  }

  static bool fits(Kind kind, std::string_view type) {
    if (type == "string") return kind == Kind::String;
    if (type == "boolean") return kind == Kind::Bool;
    if (type == "integer") return kind == Kind::Int;
    if (type == "number") return kind == Kind::Int || kind == Kind::Float;
    return type == "array" ? kind == Kind::Seq : kind == Kind::Map;
  }

  void check_word(View value, View words, const std::string& path) {
    for (const View word : Items(words)) {
      if (word.text() == value.text()) return;
    }
    problems.push_back(path + " cannot be " + std::string(value.text()));
  }

  View document_;
};

std::vector<fs::path> golden_workloads() {
  std::vector<fs::path> paths;
  for (const char* target : {"runai", "runai-distributed"}) {
    for (const auto& entry : fs::directory_iterator(repository() / "golden/target" / target)) {
      if (fs::exists(entry.path() / "stdout")) paths.push_back(entry.path() / "stdout");
    }
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

TEST_CASE("every parameter that the templates write has a place in the API or a reason") {
  const std::vector<std::string_view> known = runai_parameters();
  for (const char* target : {"runai", "runai-distributed"}) {
    SourceMap sources;
    const auto trees =
        documents(text_of(repository() / "templates" / target / "workload.yaml"), sources);
    REQUIRE(trees.size() == 1);
    for (const View each : Items(View(trees.front(), trees.front().root())["spec"])) {
      if (each.key().starts_with("$") || each.key() == "<<") continue;
      INFO(each.key());
      CHECK(std::ranges::find(known, each.key()) != known.end());
    }
  }
}

TEST_CASE("bodies of all golden workloads are as the collected document has them") {
  const fs::path path = shared_folder() / "openapi/runai/swagger.json";
  if (!fs::exists(path)) SKIP(missing_definitions(path));
  SourceMap sources;
  Sink sink;
  const auto document = read_json(sources, sources.add("", text_of(path)), sink);
  REQUIRE(document);
  const View root(*document, document->root());
  std::set<std::string> without_place;
  for (const fs::path& golden : golden_workloads()) {
    INFO(golden);
    for (const Tree& tree : documents(text_of(golden), sources)) {
      const View object(tree, tree.root());
      if (!is_runai_workload(object["apiVersion"].text(), object["kind"].text())) continue;
      const RunaiSubmission made = runai_submission(object);
      for (const RunaiProblem& each : made.problems) without_place.insert(each.field);
      const auto posted = read_json(sources, sources.add("", made.text("42", "c")), sink);
      REQUIRE(posted);
      const std::string request = made.sort == RunaiSort::Training ? "TrainingCreationRequest"
                                                                   : "DistributedCreationRequest";
      DocumentWalker walker(root);
      walker.check({*posted, posted->root()}, root["components"]["schemas"][request], "");
      CHECK(walker.problems == std::vector<std::string>());
    }
  }
  CHECK(without_place == std::set<std::string>{"spec.active", "spec.baseWorkload", "spec.mpi",
                                               "spec.preemptionLimit", "spec.processes",
                                               "spec.slotsPerWorker", "spec.usage", "spec.userId",
                                               "spec.username"});
}

TEST_CASE("GPUs are whole, or a part of one") {
  CHECK(body(submission("{gpu: {value: '8'}}")) ==
        R"({"spec":{"compute":{"gpuDevicesRequest":8}}})");
  CHECK(body(submission("{gpu: {value: '0.5'}, gpuLimit: {value: '0.8'}}")) ==
        R"({"spec":{"compute":{"gpuPortionLimit":0.8,"gpuDevicesRequest":1,)"
        R"("gpuRequestType":"portion","gpuPortionRequest":0.5}}})");
  CHECK(body(submission("{gpuMemory: {value: 20G}}")) ==
        R"({"spec":{"compute":{"gpuDevicesRequest":1,"gpuRequestType":"memory",)"
        R"("gpuMemoryRequest":"20G"}}})");
  CHECK(problem(submission("{gpu: {value: '1.5'}}")) ==
        "spec.gpu: the API requests no parts of several GPUs");
  CHECK(problem(submission("{gpu: {value: '1'}, gpuMemory: {value: 20G}}")) ==
        "spec.gpu: `gpuMemory` is set, too; keep one of them");
  CHECK(problem(submission("{gpu: {value: many}}")) == "spec.gpu: expected a number of GPUs");
}

TEST_CASE("numbers, lists and references take the form of the API") {
  CHECK(body(submission("{cpu: {value: 100m}}")) ==
        R"({"spec":{"compute":{"cpuCoreRequest":0.1}}})");
  CHECK(problem(submission("{cpu: {value: lots}}")) == "spec.cpu: this is no amount");
  CHECK(body(submission("{nodePools: {value: a100 h100}}")) ==
        R"({"spec":{"nodePools":["a100","h100"]}})");
  CHECK(body(submission("{supplementalGroups: {value: 1001;1002}}")) ==
        R"({"spec":{"security":{"supplementalGroups":"1001,1002","uidGidSource":"custom"}}})");
  CHECK(body(submission(
            "{environment: {items: {A: {value: 'x'}, T: {value: 'SECRET:hf,token'}}}}")) ==
        R"({"spec":{"environmentVariables":[{"name":"A","value":"x"},)"
        R"({"name":"T","secret":{"name":"hf","key":"token"}}]}})");
  CHECK(body(submission("{labels: {items: {priorityClassName: {value: high}}}}")) ==
        R"({"spec":{"priorityClass":"high"}})");
  CHECK(body(submission("{ports: {items: {p: {value: {container: 80}}}}}")) ==
        R"({"spec":{"ports":[{"name":"p","container":80,"serviceType":"ClusterIP"}]}})");
}

TEST_CASE("a distributed workload has its framework, and a master or the words for none") {
  const std::string spec =
      "{jobType: PyTorchJob, workers: {value: 3}, pyTorchJob: {values: "
      "{minReplicas: {value: 2}}}, nonPreemptible: {value: true}}";
  CHECK(body(submission(spec, "DistributedWorkload")) ==
        R"({"spec":{"numWorkers":3,"minReplicas":2,"distributedFramework":"PyTorch",)"
        R"("preemptibility":"non-preemptible"},"masterSpecSameAsWorker":true})");
  const auto master = submission("{jobType: MPIJob}", "DistributedWorkload",
                                 "masterSpec: {cpu: {value: '2'}, migProfile: {value: 1g.5gb}}\n");
  CHECK(body(master) == R"({"spec":{"distributedFramework":"MPI"},)"
                        R"("masterSpec":{"compute":{"cpuCoreRequest":2}}})");
  CHECK(problem(master).starts_with("masterSpec.migProfile: "));
  CHECK(problem(submission("{jobType: PaddleJob}", "DistributedWorkload")) ==
        "spec.jobType: the API knows no framework of `PaddleJob`");
}

TEST_CASE("nothing of a workload is lost in silence") {
  CHECK(problem(submission("{newField: {value: 1}}")).starts_with("spec.newField: "));
  CHECK(problem(submission("{image: nginx}")) == "spec.image: it has no `value`");
  CHECK(problem(submission("{environment: {items: {A: {deleted: true}}}}")) ==
        "spec.environment.items.A: the item has no `value`");
  CHECK(problem(submission("{pvcs: {items: {d: {value: {claimName: a, size: 1Gi}}}}}"))
            .starts_with("spec.pvcs.items.d.size: "));
  CHECK(problem(submission("{serviceType: {value: NodePort}}")).starts_with("spec.serviceType: "));
  CHECK(problem(submission("{mountPropagation: {value: true}}"))
            .starts_with("spec.mountPropagation: "));
  CHECK(problem(submission("{podAffinity: {value: true}}")).starts_with("spec.podAffinity: "));
  CHECK(problem(submission("{runAsUser: {value: true}}")).starts_with("spec.runAsUser: "));
  SourceMap sources;
  const auto trees = documents(
      "apiVersion: run.ai/v2alpha1\nkind: TrainingWorkload\nmetadata: {name: a, labels: {x: y, "
      "project: p}, annotations: {b: c, trainyard/digest: d}}\nspec: {}\n",
      sources);
  const auto made = runai_submission(View(trees.front(), trees.front().root()));
  REQUIRE(made.problems.size() == 2);
  CHECK(made.problems[0].field == "metadata.labels[x]");
  CHECK(made.problems[1].field == "metadata.annotations[b]");
}

TEST_CASE("a field of the API leads back to the parameter") {
  const auto made = submission("{cpu: {value: '2'}, environment: {items: {A: {value: x}}}}");
  CHECK(made.source_of("spec.compute.cpuCoreRequest") == "spec.cpu");
  CHECK(made.source_of("spec.environmentVariables[A].value") == "spec.environment.items.A");
  CHECK(made.source_of("spec.image").empty());
}

TEST_CASE("a prefix is submitted as one") {
  const auto made = submission("{namePrefix: {value: run}}");
  CHECK(made.text("1", "2").starts_with(
      R"({"name":"run","useGivenNameAsPrefix":true,"projectId":"1","clusterId":"2","spec")"));
  CHECK(submission("{name: {value: b}}").name == "b");
  CHECK(submission("{}").name == "a");
}
