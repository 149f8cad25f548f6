#include "driver/fleet/companions.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>

#include "driver/fleet/render_fleet.h"
#include "driver/validate/validate.h"
#include "kind/health.h"
#include "tree/yaml_writer.h"

using namespace trainyard;

namespace {

/// A fleet of one cluster, rendered with these lines of `gitops` and `operators`.
struct Bench {
  MemoryFileSystem disk;
  std::string messages;  // of the last run

  Bench() {
    disk.files[".git/HEAD"] = "";
    disk.files["fleet.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Fleet\nmetadata: {name: ml}\nspec:\n  clusters:\n"
        "    - {file: lab.yaml, specs: [specs]}\n  teams:\n"
        "    - {name: nlp, namespaces: [nlp, nlp-dev], specs: ['specs/nlp/**']}\n"
        "    - {name: cv, namespaces: [vision], specs: ['specs/cv/**'], serviceAccount: "
        "training-cv}\n";
    disk.files["specs/nlp/a.yaml"] = spec("llama", "nlp", "trainjob");
    disk.files["specs/cv/b.yaml"] = spec("vit", "vision", "job");
  }

  static std::string spec(const std::string& name, const std::string& ns, const std::string& target,
                          const std::string& more = "") {
    return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: " + name +
           ", namespace: " + ns + "}\nspec:\n  target: " + target +
           "\n  rerun: never\n  framework: " + (target == "rayjob" ? "ray" : "pytorch") +
           "\n  image: registry.example.com/t:1\n  run: {script: t.py}\n" + more;
  }

  BuildResult run(const std::string& gitops, const std::string& more = "") {
    disk.files["lab.yaml"] =
        "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
        "  kubernetes: '1.34'\n  gitops: {" +
        gitops + "}\n" + more;
    std::erase_if(disk.files, [](const auto& each) { return each.first.starts_with("rendered/"); });
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    BuildResult result = render_fleet(session, {});
    messages.clear();
    for (const Diagnostic& each : session.sink.sorted()) messages += each.message + "\n";
    if (!session.sink.has_errors()) check_valid();
    return result;
  }
  /// All that is rendered passes our own checks.
  void check_valid() {
    Env env{disk, [](std::size_t) { return FileRead{}; }};
    Session session(env);
    ValidateRequest request;
    request.inputs = {"rendered"};
    validate(session, request);
    for (const Diagnostic& each : session.sink.sorted()) UNSCOPED_INFO(each.message);
    CHECK_FALSE(session.sink.has_errors());
  }
  bool has(const std::string& file) const {
    return disk.files.contains("rendered/lab/gitops/" + file + ".yaml");
  }
  std::string text(const std::string& file) const {
    const auto found = disk.files.find("rendered/lab/gitops/" + file + ".yaml");
    return found == disk.files.end() ? std::string() : found->second;
  }
  bool says(const std::string& file, const std::string& part) const {
    const bool found = text(file).find(part) != std::string::npos;
    if (!found) UNSCOPED_INFO("the file has: " << text(file));
    return found;
  }
};

constexpr const char* kRepository = "repository: 'https://git.example.com/f.git'";
constexpr const char* kQueue =
    "  operators: {kueue: 0.19.2, trainer: 2.3.0, jobset: 0.12.0}\n"
    "  priorityClasses: [{name: urgent, value: 1000, appliesTo: pods}]\n";

std::string with(const std::string& tool, const std::string& more = "") {
  return "tool: " + tool + ", " + kRepository + (more.empty() ? "" : ", " + more);
}

}  // namespace

TEST_CASE("Argo CD gets nothing without a repository, and a note says so") {
  Bench bench;
  const BuildResult result = bench.run("tool: argocd");
  CHECK(result.written.size() == 2);
  CHECK(bench.messages ==
        "no Applications are made for this cluster: it does not state the repository\n");
}

TEST_CASE("a cluster without gitops gets no companions, and a note at its line of the fleet") {
  Bench bench;
  bench.run(with("argocd"));
  bench.disk.files["lab.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec: {}\n";
  Env env{bench.disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  RenderRequest request;
  request.yes = true;
  const BuildResult result = render_fleet(session, request);
  CHECK_FALSE(session.sink.has_errors());
  REQUIRE(session.sink.all().size() == 1);
  const Diagnostic& note = session.sink.all().front();
  CHECK(note.message ==
        "no objects that sync the cluster `lab` are made: it does not say by which tool");
  CHECK(session.sources.name(note.span.file) == "fleet.yaml");
  CHECK_FALSE(bench.has("jobs"));
}

TEST_CASE("two clusters of one Argo CD make no project of one name") {
  Bench bench;
  const std::string other =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: other}\nspec:\n"
      "  gitops: {tool: argocd, project: ml, " +
      std::string(kRepository) + "}\n";
  bench.disk.files["other.yaml"] = other;
  std::string& fleet = bench.disk.files["fleet.yaml"];
  fleet.insert(fleet.find("  teams:"), "    - {file: other.yaml, specs: [specs/cv]}\n");
  CHECK(
      bench.run(with("argocd", "project: ml, server: 'https://lab.example.com'")).written.empty());
  CHECK(bench.messages == "the project `ml` is made for another cluster of the fleet already\n");
  bench.run(with("argocd", "project: ml"));  // each has an Argo CD of its own
  CHECK(bench.messages.empty());
  bench.run(with("argocd", "server: 'https://lab.example.com'"));
  CHECK(bench.messages.empty());
}

TEST_CASE("the objects of Argo CD sync each unit of the tree, and jobs last") {
  Bench bench;
  bench.disk.files["specs/nlp/a.yaml"] =
      Bench::spec("llama", "nlp", "trainjob",
                  "  storage: {c: {mountPath: /c, create: {size: 1Gi, storageClassName: s}}}\n");
  bench.run(with("argocd"), kQueue);
  CHECK(bench.messages.empty());
  CHECK(bench.says("project", "name: lab\n"));
  CHECK(bench.says("project",
                   "  - server: https://kubernetes.default.svc\n    namespace: nlp\n"
                   "  - server: https://kubernetes.default.svc\n    namespace: nlp-dev\n"
                   "  - server: https://kubernetes.default.svc\n    namespace: vision\n"));
  CHECK(bench.says("project",
                   "clusterResourceWhitelist:\n  - group: scheduling.k8s.io\n"
                   "    kind: PriorityClass\n  namespaceResourceWhitelist:\n"
                   "  - group: \"\"\n    kind: PersistentVolumeClaim\n"
                   "  - group: batch\n    kind: Job\n"));
  CHECK(bench.says("platform", "path: rendered/lab/platform\n"));
  CHECK(bench.says("platform", "prune: false\n"));
  CHECK(bench.says("claims", "path: rendered/lab/claims\n"));
  CHECK(bench.says("claims", "prune: false\n"));
  CHECK(bench.says("jobs", "- path: rendered/lab/jobs/*\n"));
  CHECK(bench.says("jobs", "preserveResourcesOnDeletion: true\n"));
  CHECK(bench.says("jobs", "prune: true\n"));
  CHECK_FALSE(bench.says("jobs", "PruneLast"));
  CHECK_FALSE(bench.says("jobs", "Replace=true"));
  // Argo CD sorts kinds that it does not know by name, and TrainJob comes first.
  CHECK(bench.disk.files["rendered/lab/jobs/nlp/llama.yaml"].find(
            "argocd.argoproj.io/sync-wave: \"-1\"") != std::string::npos);
}

TEST_CASE("the namespace of a team's Application is the team's first") {
  Bench bench;
  bench.run(with("argocd"));
  CHECK(bench.says("jobs",
                   "namespace: '{{get (dict \"cv\" \"vision\") .path.basename | default "
                   ".path.basename}}'\n"));
}

TEST_CASE("each field of gitops has an effect on Argo CD") {
  Bench bench;
  bench.run(with("argocd",
                 "namespace: gitops, project: ml, revision: v1, path: deploy/lab, "
                 "server: 'https://lab.example.com', prune: false"),
            kQueue);
  CHECK(bench.says("project", "name: ml\n  namespace: gitops\n"));
  CHECK(bench.says("project", "- https://git.example.com/f.git\n"));
  CHECK(bench.says("project", "server: https://lab.example.com\n"));
  CHECK(bench.says("platform", "project: ml\n"));
  CHECK(bench.says("platform", "targetRevision: v1\n    path: deploy/lab/platform\n"));
  CHECK(bench.says("jobs", "revision: v1\n"));
  CHECK(bench.says("jobs", "- path: deploy/lab/jobs/*\n"));
  CHECK(bench.says("jobs", "prune: false\n"));
  bench.run(with("argocd", "project: default"));
  CHECK_FALSE(bench.has("project"));
  CHECK(bench.says("jobs", "project: default\n"));
}

TEST_CASE("fields that a controller writes, too, are no difference, and only those") {
  Bench bench;
  // The autoscaler of Ray scales the RayCluster, which is not in Git.
  bench.disk.files["specs/nlp/a.yaml"] =
      Bench::spec("llama", "nlp", "rayjob", "  elastic: {minNodes: 1, maxNodes: 4}\n");
  bench.disk.files["specs/cv/b.yaml"] = Bench::spec("vit", "vision", "job", "  nodes: 2\n");
  bench.run(with("argocd"));
  // Its definition fills in a priority.
  CHECK(bench.says(
      "jobs",
      "ignoreDifferences:\n      - group: ray.io\n        kind: RayJob\n        "
      "jqPathExpressions:\n        - .spec.rayClusterSpec.workerGroupSpecs[].priority\n      "
      "syncPolicy:"));
  CHECK_FALSE(bench.says("jobs", "RespectIgnoreDifferences"));
  bench.run(with("flux"));
  CHECK_FALSE(bench.says("jobs-cv", "ignore"));

  std::string& job = bench.disk.files["specs/cv/b.yaml"];
  job.insert(job.find("namespace: vision") + 17,
             ", annotations: {kueue.x-k8s.io/job-min-parallelism: '1'}");
  bench.run(with("argocd"));
  CHECK(bench.says(
      "jobs",
      "ignoreDifferences:\n      - group: batch\n        kind: Job\n        namespace: "
      "vision\n        name: vit\n        jsonPointers:\n        - /spec/parallelism\n"));
  CHECK(bench.says("jobs", "- RespectIgnoreDifferences=true\n"));
  bench.run(with("flux"));
  CHECK(bench.says("jobs-cv",
                   "ignore:\n  - paths:\n    - /spec/parallelism\n    target:\n      group: batch\n"
                   "      kind: Job\n      name: vit\n      namespace: vision\n"));
  CHECK_FALSE(bench.says("jobs-nlp", "ignore"));
}

TEST_CASE("what Kueue writes into a queued run of Ray is no difference; without a run it is one") {
  Bench bench;
  std::string& spec = bench.disk.files["specs/nlp/a.yaml"];
  spec = Bench::spec("llama", "nlp", "rayjob", "  scheduling: {system: kueue, queue: gpus}\n");
  bench.disk.files["specs/cv/b.yaml"] = Bench::spec("vit", "vision", "job");
  const std::string path = "/spec/rayClusterSpec/workerGroupSpecs\n";
  bench.run(with("argocd"));
  CHECK_FALSE(bench.says("jobs", path));
  spec.replace(spec.find("never"), 5, "new-name");
  bench.run(with("argocd"));
  CHECK(bench.says("jobs", "jsonPointers:\n        - " + path));
  CHECK(bench.says("jobs", "- RespectIgnoreDifferences=true\n"));
  bench.run(with("flux"));
  CHECK(bench.says("jobs-nlp", "ignore:\n  - paths:\n    - " + path));
}

TEST_CASE("Flux gets a Kustomization for each unit, and jobs wait for what they need") {
  Bench bench;
  bench.disk.files["specs/cv/b.yaml"] =
      Bench::spec("vit", "vision", "job",
                  "  storage: {c: {mountPath: /c, create: {size: 1Gi, storageClassName: s}}}\n");
  bench.run(with("flux"), kQueue);
  CHECK(bench.messages.empty());
  CHECK(bench.says("source",
                   "kind: GitRepository\nmetadata:\n  name: ml\n"
                   "  namespace: flux-system\n"));
  CHECK(bench.says("source", "branch: main\n"));
  CHECK(bench.says("platform", "prune: false\n  force: false\n  wait: true\n"));
  CHECK(bench.says("claims", "prune: false\n  force: false\n  wait: false\n"));
  CHECK(bench.says("jobs-cv", "path: ./rendered/lab/jobs/cv\n"));
  CHECK(bench.says("jobs-cv",
                   "prune: true\n  deletionPolicy: Orphan\n  force: false\n  wait: false\n"));
  CHECK(bench.says("jobs-cv", "dependsOn:\n  - name: lab-platform\n  - name: lab-claims\n"));
  CHECK(bench.says("jobs-cv", "serviceAccountName: training-cv\n"));
  CHECK_FALSE(bench.says("jobs-nlp", "serviceAccountName"));
}

TEST_CASE("for Flux a runtime stands in a unit that comes before its TrainJob") {
  Bench bench;
  bench.run(with("flux"));
  const std::string& runtime = bench.disk.files["rendered/lab/runtimes/nlp/llama.yaml"];
  CHECK(runtime.find("kind: TrainingRuntime") != std::string::npos);
  CHECK(runtime.find("sync-wave") == std::string::npos);
  const std::string& job = bench.disk.files["rendered/lab/jobs/nlp/llama.yaml"];
  CHECK(job.find("kind: TrainJob") != std::string::npos);
  CHECK(job.find("\nkind: TrainingRuntime") == std::string::npos);
  CHECK(bench.says("jobs-nlp", "dependsOn:\n  - name: lab-runtimes-nlp\n"));
  CHECK(bench.says("runtimes-nlp", "path: ./rendered/lab/runtimes/nlp\n"));
  CHECK_FALSE(bench.says("jobs-cv", "runtimes"));
}

TEST_CASE("each field of gitops has an effect on Flux") {
  Bench bench;
  bench.run(with("flux", "namespace: gitops, revision: prod, path: deploy/lab, prune: false"));
  CHECK(bench.says("source", "namespace: gitops\n"));
  CHECK(bench.says("source", "url: https://git.example.com/f.git\n"));
  CHECK(bench.says("source", "branch: prod\n"));
  CHECK(bench.says("jobs-cv", "path: ./deploy/lab/jobs/cv\n"));
  CHECK(bench.says("jobs-cv", "prune: false\n"));
  bench.run("tool: flux");  // the source of `flux bootstrap`
  CHECK_FALSE(bench.has("source"));
  CHECK(bench.says("jobs-cv", "sourceRef:\n    kind: GitRepository\n    name: flux-system\n"));
}

TEST_CASE("a fleet in a folder of its repository has that folder in its paths") {
  Bench bench;
  Bench inner;
  for (const auto& [path, text] : inner.disk.files) {
    if (path != ".git/HEAD") bench.disk.files["/r/ml/" + path] = text;
  }
  bench.disk.files["/r/.git/HEAD"] = "";
  bench.disk.files["/r/ml/lab.yaml"] =
      "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n  gitops: {" +
      with("flux") + "}\n";
  Env env{bench.disk, [](std::size_t) { return FileRead{}; }};
  Session session(env);
  RenderRequest request;
  request.fleet = "/r/ml/fleet.yaml";
  render_fleet(session, request);
  CHECK(bench.disk.files["/r/ml/rendered/lab/gitops/jobs-cv.yaml"].find(
            "path: ./ml/rendered/lab/jobs/cv\n") != std::string::npos);
}

TEST_CASE("without a gate no job counts for the Kustomization of its team") {
  Bench bench;
  bench.run(with("flux"));
  CHECK_FALSE(bench.says("jobs-nlp", "healthCheck"));
  CHECK(bench.says("jobs-nlp", "timeout: 5m\n"));
}

TEST_CASE("a gate names the jobs, with the expressions of `list health`") {
  Bench bench;
  bench.run(with("flux", "gate: started"));
  CHECK(bench.says("jobs-nlp",
                   "healthChecks:\n  - apiVersion: trainer.kubeflow.org/v1alpha1\n    kind: "
                   "TrainJob\n    name: llama\n    namespace: nlp\n  healthCheckExprs:\n"));
  CHECK(bench.says("jobs-nlp", "timeout: 30m\n"));
  Tree tree;
  const JobKind* kind = JobKinds::builtin().find("TrainJob.trainer.kubeflow.org");
  std::string expressions;
  write_yaml(tree, add_flux_health(tree, std::array{kind}, FluxGate::Started), expressions);
  std::string indented;
  for (std::size_t at = 0; at < expressions.size();) {
    const std::size_t end = expressions.find('\n', at) + 1;
    indented += "  " + expressions.substr(at, end - at);
    at = end;
  }
  CHECK(bench.says("jobs-nlp", indented));
  // Flux calls a Job ready when it has ended, and asks no expression.
  CHECK_FALSE(bench.says("jobs-cv", "healthCheck"));

  bench.run(with("flux", "gate: finished"));
  CHECK(bench.says("jobs-cv",
                   "healthChecks:\n  - apiVersion: batch/v1\n    kind: Job\n    name: vit\n"
                   "    namespace: vision\n"));
  CHECK_FALSE(bench.says("jobs-cv", "healthCheckExprs"));
  CHECK(bench.says("jobs-cv", "timeout: 24h\n"));
  CHECK_FALSE(bench.says("jobs-nlp", indented));
  CHECK_FALSE(bench.says("runtimes-nlp", "healthCheck"));
  bench.run(with("flux", "gate: finished, gateTimeout: 7d"));
  CHECK(bench.says("jobs-nlp", "timeout: 168h\n"));
  bench.run(with("flux", "gate: finished, gateTimeout: 90"));
  CHECK(bench.says("jobs-nlp", "timeout: 90s\n"));
}

TEST_CASE("an artifact has the folder of the cluster at its root") {
  Bench bench;
  const std::string artifact = "repository: 'oci://registry.example.com/fleet'";
  bench.run("tool: flux, " + artifact + ", revision: prod");
  CHECK(bench.says("source",
                   "kind: OCIRepository\nmetadata:\n  name: ml\n  namespace: flux-system\n"
                   "spec:\n  interval: 1m\n  url: oci://registry.example.com/fleet\n  ref:\n"
                   "    tag: prod\n"));
  CHECK(bench.says("jobs-nlp",
                   "path: ./jobs/nlp\n  sourceRef:\n    kind: OCIRepository\n    name: ml\n"));
  bench.run("tool: flux, path: lab, " + artifact);
  CHECK(bench.says("jobs-nlp", "path: ./lab/jobs/nlp\n"));
  bench.run("tool: argocd, " + artifact);
  CHECK(bench.messages ==
        "an ApplicationSet finds the folders of teams in a Git repository alone, and "
        "`oci://registry.example.com/fleet` is an artifact\n");
}
