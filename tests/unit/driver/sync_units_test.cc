// What a plan takes from the Application, ApplicationSet or Kustomization of a directory, and from
// the objects beside an object.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <utility>

#include "driver/plan/plan_trees.h"
#include "driver/plan/sync_plan_text.h"

using namespace trainyard;

namespace {

using Texts = std::map<std::string, std::string>;

/// A plan from the files below `old/` to those below `new/`.
struct Planned {
  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};
  PlannedTrees trees;

  Planned(Texts with, const std::string& tool) {
    files.files = std::move(with);
    PlanTreesRequest request;
    request.inputs = {"new"};
    request.old = {"old"};
    request.tool = tool;
    const RunGit no_git = [](const auto&, const auto&) { return GitRun{}; };
    trees = plan_trees(session, request, no_git);
    for (const Diagnostic& each : session.sink.all()) UNSCOPED_INFO(each.message);
  }
  const SyncObject* find(const std::string& label) const {
    for (const SyncObject& each : trees.plan.objects) {
      if (label_of(each.shown()) == label) return &each;
    }
    return nullptr;
  }
  std::string verdict(const std::string& label) const {
    const SyncObject* found = find(label);
    return found == nullptr ? "" : std::string(words_of(found->action).verdict);
  }
  std::string because(const std::string& label) const {
    const SyncObject* found = find(label);
    return found == nullptr ? "" : found->because;
  }
};

std::string config_map(const std::string& value) {
  return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ml}\ndata: {a: " +
         value + "}\n";
}

std::string job(const std::string& image, const std::string& options) {
  return "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: ml, annotations: "
         "{argocd.argoproj.io/sync-options: '" +
         options +
         "'}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: " +
         image + "}]}}}\n";
}

/// An ApplicationSet for each directory that fits a pattern.
std::string set(const std::string& pattern, const std::string& options,
                const std::string& path = "'{{.path.path}}'") {
  return "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s, namespace: "
         "argocd}\nspec:\n  goTemplate: true\n  generators:\n"
         "  - git: {repoURL: 'https://e.com/a.git', revision: main, directories: [{path: '" +
         pattern +
         "'}]}\n  template:\n    metadata: {name: '{{.path.basename}}'}\n    spec:\n"
         "      project: default\n      destination: {name: a}\n"
         "      source: {repoURL: 'https://e.com/a.git', path: " +
         path + "}\n      syncPolicy: {automated: {prune: true}, syncOptions: [" + options + "]}\n";
}

const std::string kForced = "Force=true,Replace=true";

/// A forced Job that stays as it is, beside a ConfigMap that changes.
Planned beside(const std::string& unit) {
  return Planned({{"old/jobs/nlp/a.yaml", job("x", kForced) + config_map("x")},
                  {"new/jobs/nlp/a.yaml", job("x", kForced) + config_map("z")},
                  {"new/tools/set.yaml", unit}},
                 "argocd");
}

}  // namespace

TEST_CASE("an ApplicationSet says of each directory that fits how it is applied") {
  const Texts trees = {{"old/jobs/nlp/a.yaml", job("x", "Force=true")},
                       {"new/jobs/nlp/a.yaml", job("z", "Force=true")}};
  const auto verdict = [&](const std::string& unit) {
    Texts files = trees;
    files["new/tools/set.yaml"] = unit;
    return Planned(files, "argocd").verdict("Job/j");
  };
  CHECK(verdict(set("new/jobs/*", "ServerSideApply=true")) == "refused");
  CHECK(verdict(set("new/jobs/*", "CreateNamespace=true")) == "recreate");
  CHECK(verdict(set("other/*", "ServerSideApply=true")) == "recreate");
  CHECK(verdict(set("new/*/nlp", "ServerSideApply=true", "'{{path}}'")) == "refused");
  CHECK(verdict(set("x", "ServerSideApply=true", "new/jobs")) == "refused");
}

TEST_CASE("each directory of an ApplicationSet is synced alone") {
  const std::string unit = set("new/jobs/*", "ServerSideApply=true");
  const Planned planned({{"old/jobs/nlp/deep/a.yaml", job("x", "")},
                         {"new/jobs/nlp/deep/a.yaml", job("z", "")},
                         {"new/tools/set.yaml", unit}},
                        "argocd");
  REQUIRE(planned.find("Job/j") != nullptr);
  CHECK(planned.find("Job/j")->unit == "new/jobs/nlp");
}

TEST_CASE("a forced object is made again by a sync of all, and not by one of what has changed") {
  const std::string all = "ServerSideApply=true";
  const std::string changed = all + ", ApplyOutOfSyncOnly=true";
  CHECK(beside(set("new/jobs/*", all)).verdict("Job/j") == "recreate");
  CHECK(beside(set("new/jobs/*", all)).because("Job/j").find("ApplyOutOfSyncOnly=true") !=
        std::string::npos);
  CHECK(beside(set("new/jobs/*", changed)).verdict("Job/j") == "unchanged");
  // The tree has no Application of the directory.
  CHECK(beside("").verdict("Job/j") == "unchanged");
  // Nothing there is to be synced.
  const Planned still({{"old/jobs/nlp/a.yaml", job("x", kForced)},
                       {"new/jobs/nlp/a.yaml", job("x", kForced)},
                       {"new/tools/set.yaml", set("new/jobs/*", all)}},
                      "argocd");
  CHECK(still.verdict("Job/j") == "unchanged");
}

TEST_CASE("of a new run the job alone starts again") {
  const auto run = [](const std::string& hash, const std::string& image) {
    const std::string metadata =
        "metadata: {name: a-" + hash +
        ", namespace: ml, labels: {trainyard/job: a, trainyard/run: " + hash + "}}\n";
    return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\n" + metadata +
           "spec: {mlPolicy: {numNodes: 2}, template: {spec: {replicatedJobs: [{name: node, "
           "template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, "
           "spec: {template: {spec: {containers: [{name: node, image: " +
           image + "}]}}}}}]}}}\n---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n" +
           metadata + "spec: {runtimeRef: {kind: TrainingRuntime, name: a-" + hash + "}}\n";
  };
  const Planned planned(
      {{"old/a.yaml", run("a1111111", "x")}, {"new/a.yaml", run("b2222222", "z")}}, "argocd");
  CHECK(planned.verdict("TrainJob/a-b2222222") == "restart");
  CHECK(planned.verdict("TrainingRuntime/a-b2222222") == "create");
  CHECK(sync_plan_summary(planned.trees.plan) == "1 to add, 1 to start again");
  CHECK(sync_plan_text(planned.trees.plan).find("+ z") != std::string::npos);
}

TEST_CASE("Flux cannot make a TrainJob together with its runtime") {
  const std::string runtime =
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: a, "
      "namespace: ml}\nspec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: "
      "{template: {spec: {containers: [{name: node, image: x}]}}}}}]}}}\n";
  const std::string train_job =
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a, "
      "namespace: ml}\nspec: {runtimeRef: {kind: TrainingRuntime, name: a}}\n";
  const Texts together = {{"old/a.yaml", config_map("x")},
                          {"new/a.yaml", config_map("z") + runtime + train_job}};
  const Planned flux(together, "flux");
  CHECK(flux.verdict("TrainJob/a") == "refused");
  CHECK(flux.find("ConfigMap/c")->waits);
  CHECK(Planned(together, "argocd").verdict("TrainJob/a") == "create");
  const Texts there = {{"old/a.yaml", runtime}, {"new/a.yaml", runtime + train_job}};
  CHECK(Planned(there, "flux").verdict("TrainJob/a") == "create");
  const Texts apart = {{"old/a.yaml", config_map("x")},
                       {"new/first/a.yaml", runtime},
                       {"new/then/a.yaml", train_job}};
  CHECK(Planned(apart, "flux").verdict("TrainJob/a") == "create");
}

TEST_CASE("a Job of Volcano has to name what a webhook refuses to lose") {
  const auto job_of_volcano = [](const std::string& more) {
    return "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v, namespace: "
           "ml}\nspec: {minAvailable: 1, tasks: [{name: a, replicas: 1, " +
           more +
           "template: {spec: {restartPolicy: Never, containers: [{name: a, image: x}]}}}]}\n";
  };
  const auto verdict = [](const std::string& text, const std::string& tool,
                          const std::string& unit) {
    return Planned({{"old/u/a.yaml", text}, {"new/u/a.yaml", text}, {"new/t/set.yaml", unit}}, tool)
        .verdict("Job/v");
  };
  const std::string bare = job_of_volcano("");
  CHECK(verdict(bare, "flux", "") == "refused");
  CHECK(verdict(job_of_volcano("maxRetry: 3, "), "flux", "") == "unchanged");
  CHECK(verdict(bare, "argocd", set("new/u", "ServerSideApply=true")) == "refused");
  CHECK(verdict(bare, "argocd", set("new/u", "CreateNamespace=true")) == "unchanged");
}
