// What a plan of trees says of each object: by kind, by the marks of tools, from trees and from
// dumps.
#include "driver/plan/sync_plan.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

#include "driver/plan/plan_trees.h"
#include "driver/plan/sync_plan_text.h"
#include "growth.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

struct World {
  World(std::map<std::string, std::string> with, PlanTreesRequest what) : request(std::move(what)) {
    files.files = std::move(with);
  }

  MemoryFileSystem files;
  Env env{files, [](std::size_t) { return FileRead{}; }};
  Session session{env};
  PlanTreesRequest request;
  PlannedTrees planned;

  const SyncPlan& plan() {
    const RunGit no_git = [](const auto&, const auto&) { return GitRun{}; };
    planned = plan_trees(session, request, no_git);
    for (const Diagnostic& each : session.sink.all()) UNSCOPED_INFO(each.message);
    return planned.plan;
  }
  /// `Kind/name: verdict` of each object, in lines.
  std::string verdicts() {
    std::string text;
    for (const SyncObject& each : plan().objects) {
      text += label_of(each.shown()) + ": " + std::string(words_of(each.action).verdict) + "\n";
    }
    return text;
  }
};

World trees(const std::string& before, const std::string& after, const std::string& tool = "") {
  PlanTreesRequest request;
  request.inputs = {"new"};
  request.old = {"old"};
  request.tool = tool;
  return World({{"old/a.yaml", before}, {"new/a.yaml", after}}, request);
}

World live(const std::string& dump, const std::string& after, const std::string& tool = "") {
  PlanTreesRequest request;
  request.inputs = {"new"};
  request.live = {"dump.yaml"};
  request.tool = tool;
  return World({{"dump.yaml", dump}, {"new/a.yaml", after}}, request);
}

std::string replaced(std::string text, const std::string& hole, const std::string& value) {
  for (std::size_t at = text.find(hole); at != text.npos; at = text.find(hole, at + value.size())) {
    text.replace(at, hole.size(), value);
  }
  return text;
}

std::string object(const std::string& version, const std::string& kind, const std::string& spec) {
  return "apiVersion: " + version + "\nkind: " + kind +
         "\nmetadata: {name: a, namespace: ml}\nspec: " + spec + "\n";
}

std::string config_map(const std::string& name, const std::string& value,
                       const std::string& annotations = "{}") {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
         ", namespace: ml, annotations: " + annotations + "}\ndata: {a: " + value + "}\n";
}

constexpr const char* kPod =
    "{spec: {restartPolicy: Never, containers: [{name: pytorch, image: %}]}}";
const std::string kWorkers =
    "{Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: %}]}}}}";

}  // namespace

TEST_CASE("a plan says of a change what the table of kinds and validation say") {
  struct Case {
    std::string version;
    std::string kind;
    std::string spec;  // with % where the change is
    std::string before;
    std::string after;
    std::string verdict;
  };
  const std::string pod = kPod;
  const std::string fixed = replaced(pod, "%", "x");
  const std::vector<Case> cases = {
      {"batch/v1", "Job", "{template: " + pod + "}", "x", "z", "refused"},
      {"batch/v1", "Job", "{suspend: %, template: " + fixed + "}", "true", "false", "patch"},
      {"batch/v1", "Job", "{ttlSecondsAfterFinished: %, template: " + fixed + "}", "5", "6",
       "patch"},
      {"batch/v1", "Job",
       "{completions: %, parallelism: %, completionMode: Indexed, template: " + fixed + "}", "2",
       "4", "patch"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet",
       "{replicatedJobs: [{name: w, template: {spec: {template: " + pod + "}}}]}", "x", "z",
       "refused"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet",
       "{suspend: %, replicatedJobs: [{name: w, template: "
       "{spec: {template: " +
           fixed + "}}}]}",
       "true", "false", "patch"},
      {"trainer.kubeflow.org/v1alpha1", "TrainJob", "{runtimeRef: {name: %}}", "x", "z", "refused"},
      {"trainer.kubeflow.org/v1alpha1", "TrainJob", "{suspend: %, runtimeRef: {name: x}}", "true",
       "false", "patch"},
      {"trainer.kubeflow.org/v1alpha1", "TrainingRuntime",
       "{mlPolicy: {numNodes: %}, template: {spec: {replicatedJobs: [{name: node, template: {spec: "
       "{template: " +
           fixed + "}}}]}}}",
       "1", "2", "patch without effect"},
      {"kubeflow.org/v1", "PyTorchJob", "{pytorchReplicaSpecs: " + kWorkers + "}", "x", "z",
       "patch without effect"},
      {"kubeflow.org/v1", "PyTorchJob",
       "{runPolicy: {suspend: %}, pytorchReplicaSpecs: " + replaced(kWorkers, "%", "x") + "}",
       "true", "false", "patch"},
      {"kubeflow.org/v1", "PyTorchJob",
       "{runPolicy: {managedBy: kubeflow.org/training-operator%}, "
       "pytorchReplicaSpecs: " +
           replaced(kWorkers, "%", "x") + "}",
       "", "-2", "refused"},
      {"batch.volcano.sh/v1alpha1", "Job",
       "{minAvailable: 1, tasks: [{name: t, replicas: 1, template: " + pod + "}]}", "x", "z",
       "refused"},
      {"batch.volcano.sh/v1alpha1", "Job",
       "{minAvailable: 1, tasks: [{name: t, replicas: %, template: " + fixed + "}]}", "1", "2",
       "patch"},
      {"ray.io/v1", "RayJob",
       "{entrypoint: %, rayClusterSpec: {headGroupSpec: {rayStartParams: {}, "
       "template: {spec: {containers: [{name: a, image: x}]}}}}}",
       "x", "z", "patch without effect"},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
       "{replicas: 1, leaderWorkerTemplate: {size: "
       "2, workerTemplate: {spec: {containers: [{name: a, image: %}]}}}}",
       "x", "z", "restart"},
      {"v1", "PersistentVolumeClaim", "{accessModes: [%], resources: {requests: {storage: 1Gi}}}",
       "ReadWriteOnce", "ReadWriteMany", "refused"},
      {"v1", "PersistentVolumeClaim",
       "{accessModes: [ReadWriteOnce], resources: {requests: {storage: "
       "%}}}",
       "1Gi", "2Gi", "patch"},
      {"v1", "PersistentVolumeClaim",
       "{accessModes: [ReadWriteOnce], resources: {requests: {storage: "
       "%}}}",
       "1Gi", "1024Mi", "unchanged"},
  };
  for (const Case& each : cases) {
    INFO(each.kind << " " << each.spec);
    World world = trees(object(each.version, each.kind, replaced(each.spec, "%", each.before)),
                        object(each.version, each.kind, replaced(each.spec, "%", each.after)));
    CHECK(world.verdicts() == each.kind + "/a: " + each.verdict + "\n");
  }
}

TEST_CASE("with `rerun: never` a change that needs another run is refused, and others are not") {
  const auto job = [](const std::string& image, const std::string& ttl) {
    return "# Generated by trainyard. Edit the spec, not this file.\n"
           "# trainyard: source=../specs/a.yaml sha256=" +
           std::string(64, '0') +
           "\n---\n"
           "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ml, annotations: "
           "{trainyard/rerun: never, argocd.argoproj.io/sync-options: 'Force=true'}}\n"
           "spec: {ttlSecondsAfterFinished: " +
           ttl +
           ", template: {spec: {restartPolicy: Never, containers: [{name: main, image: " + image +
           "}]}}}\n";
  };
  World image = trees(job("r.io/a:1", "60"), job("r.io/a:2", "60"), "argocd");
  CHECK(image.verdicts() == "Job/a: refused\n");
  CHECK(image.planned.plan.objects.front().because.starts_with(
      "`spec.rerun` is `never` in `specs/a.yaml`, and only another run has this change"));
  CHECK(trees(job("r.io/a:1", "60"), job("r.io/a:1", "90"), "argocd").verdicts() ==
        "Job/a: patch\n");
}

TEST_CASE("an object that the server would not take as a new one either is refused") {
  const std::string job = object("batch/v1", "Job",
                                 "{template: {spec: {restartPolicy: Always, "
                                 "containers: [{name: a, image: x}]}}}");
  CHECK(trees(config_map("b", "x"), job + "---\n" + config_map("b", "x")).verdicts() ==
        "Job/a: refused\nConfigMap/b: unchanged\n");
}

TEST_CASE("marks of a tool count under that tool alone") {
  struct Case {
    const char* annotations;
    const char* tool;
    const char* verdict;
  };
  constexpr Case kCases[] = {
      {"{kustomize.toolkit.fluxcd.io/force: enabled}", "flux", "recreate"},
      {"{kustomize.toolkit.fluxcd.io/force: Enabled}", "flux", "recreate"},
      {"{kustomize.toolkit.fluxcd.io/force: enabled}", "argocd", "refused"},
      {"{kustomize.toolkit.fluxcd.io/force: enabled}", "none", "refused"},
      {"{kustomize.toolkit.fluxcd.io/force: \"true\"}", "flux", "refused"},
      {"{argocd.argoproj.io/sync-options: 'Prune=false, Force=true'}", "argocd", "recreate"},
      {"{argocd.argoproj.io/sync-options: Force=true}", "flux", "refused"},
      {"{argocd.argoproj.io/sync-options: Replace=true}", "argocd", "refused"},
      {"{argocd.argoproj.io/sync-options: 'Force=true,ServerSideApply=true'}", "argocd", "refused"},
      {"{argocd.argoproj.io/sync-options: 'Force=true,Replace=true,ServerSideApply=true'}",
       "argocd", "recreate"},
      {"{argocd.argoproj.io/hook: Sync}", "argocd", "runs again"},
      {"{argocd.argoproj.io/hook: Sync}", "flux", "refused"},
      {"{kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}", "flux", "patch without effect"},
      {"{kustomize.toolkit.fluxcd.io/ssa: ifnotpresent}", "argocd", "refused"},
      {"{kustomize.toolkit.fluxcd.io/reconcile: disabled}", "flux", "patch without effect"},
  };
  for (const Case& each : kCases) {
    INFO(each.annotations << " " << each.tool);
    std::string job = object("batch/v1", "Job", std::string("{template: ") + kPod + "}");
    job = replaced(job, "namespace: ml",
                   "namespace: ml, annotations: " + std::string(each.annotations));
    World world = trees(replaced(job, "%", "x"), replaced(job, "%", "z"), each.tool);
    CHECK(world.verdicts() == "Job/a: " + std::string(each.verdict) + "\n");
  }
}

TEST_CASE("a new label of a claim that Flux makes once is no change, and its size is one") {
  const auto claim = [](const char* stage, const char* size) {
    std::string text = object("v1", "PersistentVolumeClaim",
                              std::string("{accessModes: [ReadWriteOnce], resources: {requests: "
                                          "{storage: ") +
                                  size + "}}}");
    return replaced(text, "namespace: ml",
                    std::string("namespace: ml, labels: {stage: '") + stage +
                        "'}, annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}");
  };
  World label = trees(claim("1", "1Gi"), claim("2", "1Gi"), "flux");
  CHECK(label.verdicts() == "PersistentVolumeClaim/a: unchanged\n");
  World size = trees(claim("1", "1Gi"), claim("1", "2Gi"), "flux");
  CHECK(size.verdicts() == "PersistentVolumeClaim/a: patch without effect\n");
}

TEST_CASE(
    "a Kustomization or an Application in the tree says what its directory forces and prunes") {
  const std::string job = object("batch/v1", "Job", std::string("{template: ") + kPod + "}");
  const auto verdicts = [&](const std::string& unit, const char* tool) {
    PlanTreesRequest request;
    request.inputs = {"tree"};
    request.old = {"old"};
    request.tool = tool;
    World world({{"tree/sync.yaml", unit},
                 {"old/sync.yaml", unit},
                 {"tree/nlp/deep/job.yaml", replaced(job, "%", "x")},
                 {"old/nlp/deep/job.yaml", replaced(job, "%", "z")},
                 {"old/nlp/gone.yaml", config_map("gone", "x")},
                 {"old/vision/gone.yaml", config_map("other", "x")}},
                request);
    std::string text;
    for (const SyncObject& each : world.plan().objects) {
      if (each.shown().path == "tree/sync.yaml") continue;
      text += label_of(each.shown()) + ": " + std::string(words_of(each.action).verdict) + ", ";
    }
    if (!world.planned.plan.blocked.empty()) text += world.planned.plan.blocked[0].unit;
    return text;
  };
  const auto flux = [](const char* more) {
    return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: nlp, "
           "namespace: flux-system}\nspec: {interval: 5m, sourceRef: {kind: GitRepository, name: "
           "a}, "
           "path: ./tree/nlp, " +
           std::string(more) + "}\n";
  };
  const auto argocd = [](const char* policy) {
    return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: nlp, namespace: "
           "argocd}\nspec: {project: a, destination: {namespace: a, name: in-cluster}, source: "
           "{repoURL: 'https://git.example.com/a', path: tree/nlp}, syncPolicy: " +
           std::string(policy) + "}\n";
  };
  CHECK(verdicts(flux("prune: true"), "flux") ==
        "ConfigMap/gone: prune, Job/a: refused, ConfigMap/other: prune, tree/nlp");
  CHECK(verdicts(flux("prune: false, force: true"), "flux") ==
        "ConfigMap/gone: kept, Job/a: recreate, ConfigMap/other: prune, ");
  CHECK(verdicts(flux("prune: false, force: true"), "argocd") ==
        "ConfigMap/gone: prune, Job/a: refused, ConfigMap/other: prune, tree/nlp/deep");
  CHECK(verdicts(argocd("{automated: {prune: true}}"), "argocd") ==
        "ConfigMap/gone: prune, Job/a: refused, ConfigMap/other: prune, tree/nlp");
  CHECK(verdicts(argocd("{automated: {}}"), "argocd") ==
        "ConfigMap/gone: kept, Job/a: refused, ConfigMap/other: prune, tree/nlp");
}

TEST_CASE("Flux cannot force a Job of Volcano, for it does not know the words of its webhook") {
  std::string job = object(
      "batch.volcano.sh/v1alpha1", "Job",
      std::string("{minAvailable: 1, tasks: [{name: t, replicas: 1, maxRetry: 3, template: ") +
          kPod + "}]}");
  job = replaced(job, "namespace: ml",
                 "namespace: ml, annotations: {kustomize.toolkit.fluxcd.io/force: enabled}");
  World world = trees(replaced(job, "%", "x"), replaced(job, "%", "z"), "flux");
  CHECK(world.verdicts() == "Job/a: refused\n");
  CHECK(world.planned.plan.objects[0].because.find("Volcano") != std::string::npos);
}

TEST_CASE("the end of what holds data is data loss, unless the tool keeps it") {
  struct Case {
    const char* object;
    const char* tool;
    const char* verdict;
  };
  constexpr Case kCases[] = {
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}}", "flux", "data loss"},
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}}", "none", "data loss"},
      {"{apiVersion: v1, kind: Namespace, metadata: {name: a}}", "argocd", "data loss"},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", "argocd", "prune"},
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a, annotations: "
       "{argocd.argoproj.io/sync-options: 'Prune=false,Delete=false'}}}",
       "argocd", "kept"},
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a, annotations: "
       "{argocd.argoproj.io/sync-options: 'Prune=false,Delete=false'}}}",
       "flux", "data loss"},
      {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a, labels: "
       "{kustomize.toolkit.fluxcd.io/prune: disabled}}}",
       "flux", "kept"},
  };
  for (const Case& each : kCases) {
    INFO(each.object << " " << each.tool);
    const std::string rest = config_map("b", "x");
    World world = trees(rest + "---\n" + each.object, rest, each.tool);
    const std::string found = world.verdicts();
    INFO(found);
    CHECK(found.find("/a: " + std::string(each.verdict) + "\n") != std::string::npos);
  }
}

TEST_CASE("what a controller or a default has written into a live object is no change") {
  const std::string wanted =
      object("batch/v1", "Job",
             "{parallelism: 2, completions: 2, template: " + replaced(kPod, "%", "x") + "}");
  const std::string there =
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1\n  kind: Job\n  metadata: {name: "
      "a, "
      "namespace: ml, uid: u, labels: {a: b}, finalizers: [x]}\n  spec: {parallelism: 2, "
      "completions: "
      "2, suspend: false, backoffLimit: 6, template: {metadata: {labels: {a: b}}, spec: "
      "{dnsPolicy: "
      "ClusterFirst, restartPolicy: Never, containers: [{name: pytorch, image: x, imagePullPolicy: "
      "Always}, {name: injected, image: z}]}}}\n  status: {active: 2}\n";
  CHECK(live(there, wanted).verdicts() == "Job/a: unchanged\n");
}

TEST_CASE("a field that the tree left out counts where an earlier sync applied it") {
  const std::string there =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ml\n  managedFields:\n  "
      "- "
      "{manager: kustomize-controller, operation: Apply, fieldsV1: {'f:data': {'f:a': {}, 'f:b': "
      "{}}}}\n  - {manager: other, operation: Update, fieldsV1: {'f:data': {'f:c': {}}}}\ndata: "
      "{a: "
      "x, b: w, c: z}\n";
  const std::string wanted = config_map("a", "x");
  World flux = live(there, wanted, "flux");
  REQUIRE(flux.verdicts() == "ConfigMap/a: patch\n");
  REQUIRE(flux.planned.plan.objects[0].changes.size() == 1);
  CHECK(flux.planned.plan.objects[0].changes[0].path == "data.b");
  CHECK(live(there, wanted, "argocd").verdicts() == "ConfigMap/a: unchanged\n");

  World both = live(there, wanted, "argocd");
  both.files.files["old/a.yaml"] =
      replaced(config_map("a", "x"), "data: {a: x}", "data: {a: x, b: w}");
  both.request.old = {"old"};
  CHECK(both.verdicts() == "ConfigMap/a: patch\n");
}

TEST_CASE("containers in another order are a change") {
  const auto job = [](const std::string& first, const std::string& second) {
    return object("apps/v1", "Deployment",
                  "{selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
                  "{containers: [{name: " +
                      first + ", image: x}, {name: " + second + ", image: x}]}}}");
  };
  CHECK(trees(job("c", "d"), job("d", "c")).verdicts() == "Deployment/a: patch\n");
  CHECK(live(job("c", "d"), job("d", "c")).verdicts() == "Deployment/a: patch\n");
  CHECK(live(job("c", "d"), job("c", "d")).verdicts() == "Deployment/a: unchanged\n");
}

TEST_CASE("a definition that comes with the tree and has become stricter refuses what is there") {
  const auto definition = [](const std::string& more) {
    return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
           "things.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: "
           "Thing, plural: things, singular: thing, listKind: ThingList}\n  versions: [{name: v1, "
           "served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: "
           "{spec: "
           "{type: object, properties: {n: {type: integer" +
           more + "}}}}}}}]\n";
  };
  const std::string thing = object("example.com/v1", "Thing", "{n: 5}");
  CHECK(trees(definition("") + "---\n" + thing, definition(", maximum: 9") + "---\n" + thing)
            .verdicts() ==
        "CustomResourceDefinition/things.example.com: patch\nThing/a: unchanged\n");
  const std::string strict =
      definition("").replace(definition("").find("type: integer"), 13, "type: string");
  CHECK(trees(definition("") + "---\n" + thing, strict + "---\n" + thing).verdicts() ==
        "CustomResourceDefinition/things.example.com: patch\nThing/a: refused\n");
}

TEST_CASE("what a Secret is given as text is what the server keeps as bytes") {
  const std::string there =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: ml}\ndata: {k: aGVsbG8=}\n";
  const auto wanted = [](const std::string& text) {
    return "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: ml}\nstringData: {k: " +
           text + "}\n";
  };
  CHECK(live(there, wanted("hello")).verdicts() == "Secret/a: unchanged\n");
  CHECK(live(there, wanted("other")).verdicts() == "Secret/a: patch\n");
}

TEST_CASE("of a dump a tool prunes what it keeps together with objects of the tree") {
  const auto kept = [](const std::string& name, const std::string& keeper) {
    return config_map(
        name, "x", "{argocd.argoproj.io/tracking-id: '" + keeper + ":/ConfigMap:ml/" + name + "'}");
  };
  const std::string dump = kept("a", "nlp") + "---\n" + kept("b", "nlp") + "---\n" +
                           kept("c", "vision") + "---\n" + config_map("d", "x");
  CHECK(live(dump, config_map("a", "x"), "argocd").verdicts() ==
        "ConfigMap/b: prune\nConfigMap/a: unchanged\n");
  CHECK(live(dump, config_map("a", "x"), "none").verdicts() == "ConfigMap/a: unchanged\n");
}

TEST_CASE("an object without a namespace is found in the one that is asked for") {
  const std::string there = config_map("a", "x");
  const std::string wanted = replaced(there, ", namespace: ml", "");
  World world = live(there, wanted);
  CHECK(world.verdicts() == "ConfigMap/a: create\n");
  World asked = live(there, wanted);
  asked.request.name_space = "ml";
  CHECK(asked.verdicts() == "ConfigMap/a: unchanged\n");
}

TEST_CASE("the tool is that of the marks, where these agree") {
  const auto tool = [](const std::string& annotations) {
    World world = trees(config_map("a", "x"), config_map("a", "z", annotations));
    return world.plan().tool;
  };
  CHECK(tool("{}") == SyncTool::None);
  CHECK(tool("{kustomize.toolkit.fluxcd.io/prune: disabled}") == SyncTool::Flux);
  CHECK(tool("{argocd.argoproj.io/sync-wave: '1'}") == SyncTool::ArgoCd);
  CHECK(tool("{argocd.argoproj.io/sync-wave: '1', kustomize.toolkit.fluxcd.io/prune: disabled}") ==
        SyncTool::None);
}

TEST_CASE("a value of a Secret is in no plan") {
  const auto secret = [](const char* value) {
    return "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: ml}\ndata: {key: " +
           std::string(value) + "}\n";
  };
  World world = trees(secret("b2xkb2xkb2xk"), secret("bmV3bmV3bmV3"));
  const SyncPlan& plan = world.plan();
  for (const std::string& text :
       {sync_plan_text(plan), sync_plan_markdown(plan), sync_plan_json(plan)}) {
    CHECK(text.find("b2xk") == std::string::npos);
    CHECK(text.find("bmV3") == std::string::npos);
    CHECK(text.find("data.key") != std::string::npos);
  }
}

TEST_CASE("each object that a sync fails on is a finding of a build server") {
  const std::string refused_by_table =
      object("kubeflow.org/v1", "PyTorchJob",
             "{runPolicy: {managedBy: kubeflow.org/training-operator%}, pytorchReplicaSpecs: " +
                 replaced(kWorkers, "%", "x") + "}");
  World world = trees(replaced(refused_by_table, "%", ""), replaced(refused_by_table, "%", "-2"));
  Sink sink;
  report_sync_plan(world.plan(), sink);
  REQUIRE(sink.all().size() == 1);
  CHECK(sink.all()[0].severity == Severity::Error);
  CHECK(sink.all()[0].span.known());
}

TEST_CASE("a TrainJob is described in the terms of its runtime") {
  const auto tree = [](const std::string& runtime, const std::string& image, int nodes) {
    return object("trainer.kubeflow.org/v1alpha1", "TrainJob",
                  "{runtimeRef: {kind: TrainingRuntime, name: " + runtime +
                      "}, trainer: {numNodes: " + std::to_string(nodes) + "}}") +
           "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: "
           "{name: " +
           runtime +
           ", namespace: ml}\nspec: {mlPolicy: {numNodes: 1}, template: {spec: {replicatedJobs: "
           "[{name: node, template: {spec: {template: {spec: {restartPolicy: Never, containers: "
           "[{name: node, image: " +
           image + ", resources: {limits: {nvidia.com/gpu: 8}}}]}}}}}]}}}\n";
  };
  World world = trees(tree("r1", "train:1", 2), tree("r2", "train:2", 4));
  const SyncObject& job = world.plan().objects[0];
  REQUIRE(label_of(job.shown()) == "TrainJob/a");
  REQUIRE(job.terms.size() == 3);
  CHECK((job.terms[0].before == "train:1" && job.terms[0].after == "train:2"));
  CHECK((job.terms[1].before == "2" && job.terms[1].after == "4"));
  CHECK((job.terms[2].before == "16" && job.terms[2].after == "32"));
}

TEST_CASE("text of a manifest has no effect in Markdown") {
  World world = trees(config_map("a", "x"), config_map("a", "'`|<img> @all'"));
  CHECK(sync_plan_markdown(world.plan()).find("`'\\|<img> @all`") != std::string::npos);
}

TEST_CASE("a plan of four times as many objects takes about four times as long") {
  const auto make = [](std::size_t count) {
    std::string before;
    std::string after;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "a" + std::to_string(i);
      before += config_map(name, "x") + "---\n";
      after += config_map(i % 3 == 0 ? "b" + name : name, "z") + "---\n";
    }
    World world = trees(before, after, "flux");
    sync_plan_text(world.plan());
    sync_plan_json(world.planned.plan);
  };
  const double found = growth(500, make);
  CHECK(found < kMostGrowth);
}
