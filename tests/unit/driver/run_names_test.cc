// The name of a run changes exactly when a job that runs could not take the change: random edits of
// specs, for all targets, against what a plan says of the same edit of a job that keeps its name.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "driver/plan/plan_trees.h"
#include "plan/plan.h"
#include "sample.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;
using Json = nlohmann::json;

namespace {

/// What a random edit puts at a path; null takes it away.
struct Edit {
  std::string path;
  std::vector<const char*> values;
};

const std::vector<Edit> kEdits = {
    {"/metadata/labels", {R"({"stage": "one"})", R"({"stage": "two"})", "null"}},
    {"/metadata/annotations", {R"({"note": "one"})", R"({"note": "two"})", "null"}},
    {"/spec/image", {R"("registry.example.com/a:1")", R"("registry.example.com/a:2")"}},
    {"/spec/imagePullPolicy", {R"("Always")", "null"}},
    {"/spec/nodes", {"1", "2", "3"}},
    {"/spec/gpusPerNode", {"4", "8"}},
    {"/spec/machine", {R"("dgx-h100")", R"("a4x-highgpu-4g")", "null"}},
    {"/spec/env", {R"({"LR": "0.1"})", R"({"LR": "0.2"})", R"({"LR": "0.1", "A": "b"})", "null"}},
    {"/spec/secretEnv", {R"({"TOKEN": {"name": "hf"}})", "null"}},
    {"/spec/run", {R"({"script": "train.py"})", R"({"script": "train.py", "args": ["-v"]})"}},
    {"/spec/resources/cpu", {"8", R"("8000m")", R"("16")"}},
    {"/spec/resources/memory", {R"("64Gi")", R"("65536Mi")", R"("128Gi")"}},
    {"/spec/resources/sharedMemory", {R"("1Gi")", R"("1024Mi")", "null"}},
    {"/spec/lifecycle/ttl", {R"("1h")", R"("2h")", "null"}},
    {"/spec/lifecycle/deadline", {R"("1h")", R"("2h")", "null"}},
    {"/spec/lifecycle/retries", {"1", "3", "null"}},
    {"/spec/lifecycle/retryOn", {R"("any")", R"("never")", "null"}},
    {"/spec/lifecycle/gracePeriod", {R"("1m")", "null"}},
    {"/spec/lifecycle/checkpoint", {R"({"path": "/c", "signal": "SIGUSR1"})", "null"}},
    {"/spec/scheduling/priority", {R"("high")", R"("low")", "null"}},
    {"/spec/scheduling/queue", {R"("one")", R"("two")"}},
    {"/spec/scheduling/timeout", {R"("5m")", R"("10m")", "null"}},
    {"/spec/placement/nodeSelector", {R"({"zone": "a"})", R"({"zone": "b"})", "null"}},
    {"/spec/placement/tolerations", {R"([{"key": "k", "operator": "Exists"}])", "null"}},
    {"/spec/storage/data",
     {R"({"mountPath": "/data", "emptyDir": {"sizeLimit": "1Gi"}})",
      R"({"mountPath": "/data", "emptyDir": {"sizeLimit": "1024Mi"}})",
      R"({"mountPath": "/data", "claim": "data"})",
      R"({"mountPath": "/data", "create": {"size": "1Gi", "accessModes": ["ReadWriteMany"]}})",
      R"({"mountPath": "/data", "create": {"size": "2Gi", "accessModes": ["ReadWriteMany"]}})"}},
    {"/spec/files",
     {R"({"items": [{"path": "a", "content": "b"}]})",
      R"({"items": [{"path": "a", "content": "c"}]})", "null"}},
    {"/spec/data", {R"({"inputs": [{"uri": "s3://b/p", "path": "/in"}]})", "null"}},
    {"/spec/network/isolate", {"true", "false"}},
    {"/spec/network/ports", {R"([{"containerPort": 9090}])", "null"}},
    {"/spec/serviceAccount", {R"("trainer")", "null"}},
    {"/spec/security", {R"({"runAsUser": 1000})", R"({"level": "baseline"})", "null"}},
    {"/spec/elastic", {R"({"minNodes": 1, "maxNodes": 4})", R"({"maxNodes": 5})", "null"}},
    {"/spec/pod",
     {R"({"spec": {"shareProcessNamespace": true}})",
      R"({"metadata": {"annotations": {"a": "b"}}})", "null"}},
    {"/spec/patches",
     {R"([{"kind": "MAIN", "patch": {"metadata": {"annotations": {"a": "b"}}}}])",
      R"([{"kind": "MAIN", "patch": {"metadata": {"labels": {"a": "b"}}}}])", "null"}},
};

/// Edits whose effect no two states of an object tell, so that a new run is right and a plan of
/// trees is silent: it takes a field that is added for the default of the API server, and Trainer
/// refuses another deadline but not the first one.
const std::set<std::string> kUnseen = {
    "/spec/lifecycle/gracePeriod", "/spec/imagePullPolicy", "/spec/lifecycle/retries of jobset",
    "/spec/lifecycle/deadline of trainjob", "/spec/scheduling/queue of volcano"};

struct Target {
  std::string name;
  std::string framework;
  std::string kind;
};
const std::vector<Target> kTargets = {
    {"job", "pytorch", "Job"},           {"jobset", "pytorch", "JobSet"},
    {"trainjob", "pytorch", "TrainJob"}, {"pytorchjob", "pytorch", "PyTorchJob"},
    {"mpijob", "mpi", "MPIJob"},         {"jaxjob", "jax", "JAXJob"},
    {"tfjob", "tensorflow", "TFJob"},    {"paddlejob", "paddle", "PaddleJob"},
    {"volcano", "pytorch", "Job"},       {"xgboostjob", "xgboost", "XGBoostJob"},
    {"rayjob", "ray", "RayJob"},         {"lws", "pytorch", "LeaderWorkerSet"},
};

/// Systems that queue jobs or place their pods, with the Cluster that has them.
struct QueueCase {
  std::string system;
  std::string cluster;
};
const std::vector<QueueCase> kQueues = {
    {"", R"({kubernetes: '1.34'})"},
    {"", R"({kubernetes: '1.34', gpu: {allocation: dra}})"},
    {"kueue", R"({kubernetes: '1.34'})"},
    {"volcano", R"({kubernetes: '1.34'})"},
    {"coscheduling", R"({kubernetes: '1.34'})"},
    {"kai", R"({kubernetes: '1.34'})"},
    {"native", R"({kubernetes: '1.35'})"},
    {"native", R"({kubernetes: '1.36'})"},
};

Json base_of(const Target& target, const QueueCase& queue) {
  Json spec = {{"target", target.name},
               {"framework", target.framework},
               {"nodes", 2},
               {"image", "registry.example.com/a:1"},
               {"gpusPerNode", 8},
               {"run", {{"script", "train.py"}}},
               {"resources", {{"cpu", 8}, {"memory", "64Gi"}}}};
  if (target.framework == "paddle") {
    spec["run"] = {{"module", "paddle.distributed.launch"}, {"args", {"train.py"}}};
  }
  if (!queue.system.empty()) spec["scheduling"]["system"] = queue.system;
  if (queue.system == "kueue" || queue.system == "kai" || queue.system == "volcano") {
    spec["scheduling"]["queue"] = "one";
  }
  return {{"apiVersion", "trainyard/v1alpha1"},
          {"kind", "TrainingJob"},
          {"metadata", {{"name", "llama"}, {"namespace", "nlp"}}},
          {"spec", spec}};
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  const Edit& edit() { return kEdits[below(kEdits.size())]; }

 private:
  std::mt19937 engine_;
};

/// What was edited, and whether that is unseen.
struct Edited {
  std::string text;
  bool unseen = false;
};

/// Edits a spec.
void edit(Json& spec, const Target& target, Random& random, Edited& edited) {
  const Edit& what = random.edit();
  std::string value = what.values[random.below(what.values.size())];
  if (const std::size_t at = value.find("MAIN"); at != std::string::npos) {
    value.replace(at, 4, target.kind);
  }
  const Json::json_pointer pointer(what.path);
  if (value == "null") {
    if (spec.contains(pointer)) spec[pointer.parent_pointer()].erase(pointer.back());
  } else {
    spec[pointer] = Json::parse(value);
  }
  edited.text += what.path + " = " + value + "\n";
  edited.unseen = edited.unseen || kUnseen.contains(what.path) ||
                  kUnseen.contains(what.path + " of " + target.name);
}

std::string cluster_of(const QueueCase& queue) {
  return "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec: " +
         queue.cluster + "\n";
}

/// The objects of a spec; nothing where it does not build.
std::optional<std::string> objects_of(Json spec, const QueueCase& queue, const char* rerun) {
  spec["spec"]["rerun"] = rerun;
  const Built built = build_files({{"job.yaml", spec.dump()}, {"cluster.yaml", cluster_of(queue)}},
                                  {"job.yaml"}, "cluster.yaml");
  if (built.errors != 0) return std::nullopt;
  return built.text;
}

std::string run_in(const std::string& objects) {
  const std::string key = std::string(kRunLabel) + ": ";
  const std::size_t at = objects.find(key);
  REQUIRE(at != std::string::npos);
  return objects.substr(at + key.size(), objects.find('\n', at) - at - key.size());
}

/// What a plan says that objects which run cannot take; "" where all is patched.
std::string not_taken(const std::string& before, const std::string& after, const QueueCase& queue) {
  MemoryFileSystem files;
  files.files = {
      {"old/a.yaml", before}, {"new/a.yaml", after}, {"cluster.yaml", cluster_of(queue)}};
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  PlanTreesRequest request;
  request.inputs = {"new"};
  request.old = {"old"};
  request.cluster = "cluster.yaml";
  const PlannedTrees planned =
      plan_trees(session, request, [](const auto&, const auto&) { return GitRun{}; });
  for (const Diagnostic& each : session.sink.all()) UNSCOPED_INFO(each.message);
  CHECK_FALSE(session.sink.has_errors());
  // What lasts has a name of its own, whatever becomes of the run.
  const std::set<std::string_view> lasting{"PersistentVolumeClaim", "NetworkPolicy"};
  const std::set<Action> taken{Action::Unchanged, Action::Create, Action::Delete, Action::Update};
  std::string verdicts;
  for (const SyncObject& each : planned.plan.objects) {
    if (taken.contains(each.action) || lasting.contains(each.shown().kind())) continue;
    verdicts += label_of(each.shown()) + ": " + std::string(words_of(each.action).verdict) + " (" +
                each.because + ")\n";
  }
  return verdicts;
}

/// Compares one edit of a job that keeps its name with the names of its runs. False where one of
/// the specs does not build.
bool agrees(const Json& before, const Json& after, const QueueCase& queue, bool unseen) {
  const auto old_plain = objects_of(before, queue, "in-place");
  const auto new_plain = objects_of(after, queue, "in-place");
  const auto old_run = objects_of(before, queue, "new-name");
  const auto new_run = objects_of(after, queue, "new-name");
  if (!old_plain || !new_plain || !old_run || !new_run) return false;
  CHECK(new_run->find(kUnnamedRun) == std::string::npos);
  const std::string verdicts = not_taken(*old_plain, *new_plain, queue);
  const bool is_new = run_in(*old_run) != run_in(*new_run);
  INFO("the plan of the job that keeps its name: " << verdicts);
  CHECK((is_new || verdicts.empty()));
  CHECK((!is_new || unseen || !verdicts.empty()));
  const std::string of_runs = not_taken(*old_run, *new_run, queue);
  INFO("the plan of its runs: " << of_runs);
  CHECK((of_runs.find("refused") == std::string::npos &&
         of_runs.find("without effect") == std::string::npos));
  return true;
}

}  // namespace

TEST_CASE("a run has a new name exactly when a job that runs could not take the change") {
  Random random(24);
  Sample sample(10);
  for (const Target& target : kTargets) {
    std::size_t compared = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      const QueueCase& queue = kQueues[random.below(kQueues.size())];
      Json before = base_of(target, queue);
      Edited earlier;
      for (std::size_t edits = random.below(4); edits != 0; --edits) {
        edit(before, target, random, earlier);
      }
      Json after = before;
      Edited edited;
      for (std::size_t edits = 1 + random.below(2); edits != 0; --edits) {
        edit(after, target, random, edited);
      }
      if (!sample.takes()) continue;
      INFO(target.name << " " << queue.system << "\n" << before.dump() << "\n" << edited.text);
      if (agrees(before, after, queue, edited.unseen)) ++compared;
    }
    INFO(target.name);
    CHECK(compared > sample.least(20));
  }
}

TEST_CASE("a run is named by its generation, and by nothing that a job that runs may take") {
  const Target& target = kTargets.front();
  const QueueCase& queue = kQueues[2];
  const Json base = base_of(target, queue);
  const auto run_of = [&](const std::string& path, const char* value) {
    Json spec = base;
    spec[Json::json_pointer(path)] = Json::parse(value);
    const auto objects = objects_of(spec, queue, "new-name");
    REQUIRE(objects);
    return run_in(*objects);
  };
  const std::string run = run_of("/kind", R"("TrainingJob")");
  CHECK(run_of("/metadata/annotations", R"({"a": "b"})") == run);
  CHECK(run_of("/spec/lifecycle", R"({"ttl": "1h", "deadline": "2h"})") == run);
  CHECK(run_of("/spec/resources/memory", R"("65536Mi")") == run);
  CHECK(run_of("/spec/resources/cpu", R"("8")") == run);
  CHECK(run_of("/spec/generation", "2") != run);
  CHECK(run_of("/spec/generation", "2") == run_of("/spec/generation", "2"));
  CHECK(run_of("/spec/generation", "2") != run_of("/spec/generation", "3"));
}
