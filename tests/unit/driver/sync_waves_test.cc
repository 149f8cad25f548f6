// What waits in a plan for Argo CD, by the waves of objects.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "driver/plan/plan_trees.h"

using namespace trainyard;

namespace {

std::string config_map(const std::string& name, const std::string& value, int wave) {
  return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
         ", namespace: ml, annotations: {argocd.argoproj.io/sync-wave: '" + std::to_string(wave) +
         "'}}\ndata: {a: " + value + "}\n";
}

/// A Job of wave 1.
std::string job(const std::string& image, const std::string& options = "") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ml, annotations: "
         "{argocd.argoproj.io/sync-wave: '1', argocd.argoproj.io/sync-options: '" +
         options +
         "'}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: " +
         image + "}]}}}\n";
}

/// What the plan from one tree to another says of objects that wait.
std::string waiting(const std::string& before, const std::string& after) {
  MemoryFileSystem files;
  files.files = {{"old/a.yaml", before}, {"new/a.yaml", after}};
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};
  PlanTreesRequest request;
  request.inputs = {"new"};
  request.old = {"old"};
  request.tool = "argocd";
  const RunGit no_git = [](const auto&, const auto&) { return GitRun{}; };
  const PlannedTrees planned = plan_trees(session, request, no_git);
  std::string text;
  for (const SyncObject& each : planned.plan.objects) {
    if (each.waits) text += label_of(each.shown()) + " ";
  }
  return text;
}

std::string in_three_waves(const std::string& value) {
  return config_map("early", value, 0) + config_map("beside", value, 1) +
         config_map("late", value, 2);
}

}  // namespace

TEST_CASE("Argo CD applies nothing behind the wave of a refused object") {
  CHECK(waiting(job("x") + in_three_waves("x"), job("z") + in_three_waves("z")) ==
        "ConfigMap/late ");
}

TEST_CASE("Argo CD prunes the last wave first, in the first wave of what it prunes") {
  const std::string two = config_map("gone-1", "x", 1) + config_map("gone-2", "x", 2);
  CHECK(waiting(job("x") + two, job("z")) == "ConfigMap/gone-1 ");
  CHECK(waiting(job("x") + two + config_map("gone-0", "x", 0), job("z")).empty());
  CHECK(waiting(job("x") + config_map("gone-2", "x", 2), job("z")) == "ConfigMap/gone-2 ");
}

TEST_CASE("an object whose end a person has to confirm holds its wave and later ones") {
  CHECK(waiting(job("x", "Prune=confirm") + in_three_waves("x"), in_three_waves("z")) ==
        "ConfigMap/beside ConfigMap/late Job/a ");
}
