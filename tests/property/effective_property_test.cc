// What we work out that controllers make, against the controllers' own code.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "effective/fold_train_job.h"
#include "effective/pods.h"
#include "property/effective_compare.h"
#include "property/oracle.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// A patch on a job that the runtime lacks is refused at admission, so none is made.
std::string train_job(Pieces& pieces, bool has_launcher) {
  std::string text =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t, namespace: "
      "nlp}\nspec:\n  runtimeRef: {name: torchtune-llama3.2-1b, kind: TrainingRuntime}\n";
  if (pieces.below(8) != 0) {
    text += "  trainer:\n    image: i" + pieces.one_of({"", "j"}) + "\n";
    text += pieces.one_of({"", "    numNodes: 1\n", "    numNodes: 4\n"});
    text += pieces.one_of({"", "", "    numProcPerNode: 1\n", "    numProcPerNode: 8\n"});
    text += pieces.one_of({"", "    command: [torchrun, a.py]\n", "    command: [tune, run]\n"});
    text += pieces.one_of({"", "    args: [--x, w]\n",
                           "    args: [model.lora_attn_modules=q, model.quantize_base=True]\n",
                           "    args: [model.quantize_base=true, model.use_dora=False]\n"});
    text += pieces.one_of(
        {"", "    env: [{name: A, value: new}, {name: FLUX_VIEW_IMAGE, value: w}]\n",
         "    env: [{name: S, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: E}]\n"});
    text += pieces.one_of(
        {"", "    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}\n",
         "    resourcesPerNode: {requests: {cpu: 2500m, memory: 4Gi}, limits: {cpu: 12}}\n",
         "    resourcesPerNode: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}\n",
         "    resourcesPerNode: {limits: {nvidia.com/mig-1g.10gb: 2, cpu: 6}}\n",
         "    resourcesPerNode: {claims: [{name: c}]}\n"});
  }
  text += pieces.one_of(
      {"", "", "  initializer: {dataset: {storageUri: 'hf://d', env: [{name: D, value: d}]}}\n",
       "  initializer: {model: {storageUri: 'hf://m', secretRef: {name: token}}}\n"});
  text += pieces.one_of({"", "", "  suspend: true\n"});
  if (pieces.below(2) == 0) return text;
  text += "  runtimePatches:\n";
  for (std::uint64_t i = 0; i <= pieces.below(2); ++i) {
    text += "  - manager: example.com/m" + std::to_string(i) +
            "\n    trainingRuntimeSpec:\n      template:\n";
    text += pieces.one_of({"", "        metadata: {labels: {q: r}, annotations: {a: b}}\n"});
    text += "        spec:\n          replicatedJobs:\n          - name: " +
            (has_launcher ? pieces.one_of({"node", "launcher"}) : "node") +
            "\n            template:\n";
    text += pieces.one_of({"", "              metadata: {labels: {job: l}}\n"});
    text += "              spec: {template: {" +
            pieces.one_of({"", "metadata: {labels: {p: l}}, "}) + "spec: {";
    text += pieces.one_of({"", "serviceAccountName: sa, ", "nodeSelector: {pool: h100}, "});
    text += pieces.one_of(
        {"", "volumes: [{name: new, emptyDir: {}}, {name: b, emptyDir: {medium: Memory}}], ",
         "volumes: [{name: a, persistentVolumeClaim: {claimName: c}}], "});
    text += pieces.one_of(
        {"", "tolerations: [{key: k, operator: Exists}], ", "imagePullSecrets: [{name: p}], "});
    text += pieces.one_of(
        {"", "containers: [{name: node, volumeMounts: [{name: a, mountPath: /a}]}], ",
         "containers: [{name: side, env: [{name: Z, value: z}, {name: A, value: x}]}], "});
    text += "}}}\n";
  }
  return text;
}

std::string replicated_job(Pieces& pieces, const std::string& name, const std::string& step,
                           const std::string& container) {
  std::string text = "      - name: " + name + "\n        template:\n";
  if (!step.empty()) {
    text += "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: " + step +
            "}}\n";
  }
  text += "          spec:\n" + pieces.one_of({"", "            parallelism: 3\n"}) +
          pieces.one_of({"", "            backoffLimit: 2\n"}) +
          "            template:\n              spec:\n                containers:\n";
  text +=
      pieces.one_of({"", "                - {name: side, image: s, env: [{name: A, value: a}]}\n"});
  text += "                - name: " + container + "\n                  image: r\n";
  text +=
      pieces.one_of({"", "                  command: [tune, run, output_dir=/o, dtype=bf16]\n"});
  text +=
      pieces.one_of({"", "                  env: [{name: A, value: old}, {name: C, value: c}]\n",
                     "                  env: [{name: FLUX_VIEW_IMAGE, value: v}]\n",
                     "                  env: [{name: A, value: a1}, {name: A, value: a2}]\n"});
  text += pieces.one_of(
      {"", "                  ports: [{containerPort: 8080}]\n",
       "                  ports: [{containerPort: 8080}, {containerPort: 9090}]\n",
       "                  ports: [{name: web, containerPort: 8080}, {containerPort: 29500}]\n"});
  text += pieces.one_of(
      {"", "                  resources: {limits: {nvidia.com/gpu: 2, memory: 8Gi}}\n",
       "                  resources: {requests: {cpu: 3}}\n"});
  text +=
      pieces.one_of({"", "                  volumeMounts: [{name: a, mountPath: /root/.ssh}]\n"});
  text += pieces.one_of({"",
                         "                initContainers: [{name: prepare, image: p, env: [{name: "
                         "I, value: i}]}]\n"});
  text += pieces.one_of(
      {"", "                volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}]\n"});
  return text;
}

std::string runtime(Pieces& pieces) {
  std::string text =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
      "metadata: {name: torchtune-llama3.2-1b}\nspec:\n";
  const std::string policy =
      pieces.one_of({"torch: {}", "torch: {}", "torch: {}", "jax: {}", "xgboost: {}", "flux: {}",
                     "mpi", "mpi", "none", "no policy"});
  const bool mpi = policy == "mpi";
  if (policy != "no policy") {
    text += "  mlPolicy:\n" + pieces.one_of({"", "    numNodes: 2\n"});
    if (mpi) {
      text += "    mpi: {" + pieces.one_of({"", "numProcPerNode: 4, ", "numProcPerNode: 1, "}) +
              pieces.one_of({"", "sshAuthMountPath: /home/u/.ssh, "}) +
              pieces.one_of({"", "runLauncherAsNode: true, "}) +
              pieces.one_of({"", "mpiImplementation: OpenMPI"}) + "}\n";
    } else if (policy != "none") {
      text += "    " + policy + "\n";
    } else {
      text += "    numNodes: 3\n";
    }
    if (text.ends_with("  mlPolicy:\n")) text += "    numNodes: 1\n";
  }
  if (const std::size_t twice = text.find("numNodes: 2\n    numNodes: 3"); twice != text.npos) {
    text.erase(twice, std::string_view("numNodes: 2\n    ").size());
  }
  text += pieces.one_of({"", "", "  podGroupPolicy: {coscheduling: {scheduleTimeoutSeconds: 60}}\n",
                         "  podGroupPolicy: {volcano: {}}\n"});
  text += "  template:\n" + pieces.one_of({"", "    metadata: {labels: {team: p, q: own}}\n"}) +
          "    spec:\n" + pieces.one_of({"", "      network: {subdomain: net}\n"}) +
          "      replicatedJobs:\n";
  if (pieces.below(3) == 0) {
    text +=
        replicated_job(pieces, "dataset-initializer", "dataset-initializer", "dataset-initializer");
    text += replicated_job(pieces, "model-initializer", "model-initializer", "model-initializer");
  }
  if (mpi) text += replicated_job(pieces, "launcher", "trainer", "node");
  text += replicated_job(pieces, "node", mpi ? "" : "trainer", "node");
  return text;
}

/// Beside xgboost the Trainer runs the policy for none, in no order, which shows in that of
/// variables.
std::string without_variables(std::string job) {
  const std::size_t at = job.find("    env: [");
  return at == job.npos ? job : job.erase(at, job.find('\n', at) + 1 - at);
}

std::string folded(const std::string& job, const std::string& target) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("case", job + "---\n" + target);
  const std::vector<Tree> documents = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  REQUIRE(documents.size() == 2);
  Versions versions;
  versions.add("trainer", "2.3.0");
  Tree tree;
  Origins origins;
  PodBuilder maker(tree, origins);
  const FoldedTrainJob made =
      fold_train_job(maker,
                     {View(documents[0], documents[0].root()),
                      View(documents[1], documents[1].root()), versions, SchemaPack::builtin()},
                     sink);
  CHECK_FALSE(sink.has_errors());
  if (made.job_set == kNoNode) return "error";
  tree.set_root(made.job_set);
  return Compared(std::move(tree)).text(made.job_set);
}

}  // namespace

TEST_CASE("a folded TrainJob is the JobSet that the Trainer makes", "[go]") {
  const Oracle oracle = module_oracle("trainer");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  constexpr std::size_t kCases = 500;
  Pieces pieces;
  std::vector<std::pair<std::string, std::string>> cases;
  std::string input;
  for (std::size_t i = 0; i < kCases; ++i) {
    const std::string target = runtime(pieces);
    const bool has_launcher = target.find("name: launcher") != std::string::npos;
    const bool is_ordered = target.find("xgboost") == std::string::npos;
    const std::string job = train_job(pieces, has_launcher);
    cases.emplace_back(is_ordered ? job : without_variables(job), target);
    input += cases.back().first + "---\n" + cases.back().second + "---\n";
  }
  const std::vector<std::string> answers = ask(oracle, "trainer", input);
  REQUIRE(answers.size() == cases.size());
  std::size_t errors = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].first << "---\n" << cases[i].second);
    std::string wanted = "error";
    if (!answers[i].starts_with("error")) {
      Compared answer(read_one(answers[i]));
      wanted = answer.text(answer.root(), {"ownerReferences"});
    } else {
      ++errors;
      INFO(answers[i]);
    }
    CHECK(folded(cases[i].first, cases[i].second) == wanted);
  }
  CHECK(errors < kCases / 10);
}

namespace {

struct ReplicaKindPieces {
  std::string kind;
  std::string specs;
  std::string container;
  std::string port;
  std::vector<std::string> roles;  // the last may have several pods
  bool needs_first = false;        // the first role must be there
};

std::string replica(Pieces& pieces, const ReplicaKindPieces& kind, const std::string& role,
                    bool several) {
  std::string text = "    " + role + ":\n";
  text += several ? pieces.one_of({"", "      replicas: 2\n", "      replicas: 3\n"})
                  : pieces.one_of({"", "      replicas: 1\n"});
  text +=
      pieces.one_of({"", "      restartPolicy: ExitCode\n", "      restartPolicy: OnFailure\n"});
  text += "      template:\n        metadata: {labels: {l: m}}\n        spec:\n";
  text += pieces.one_of({"", "          restartPolicy: Always\n"});
  text += pieces.one_of({"", "          initContainers: [{name: i, image: p}]\n"});
  text += "          containers:\n";
  text += pieces.one_of({"", "          - {name: side, image: s, ports: [{containerPort: 80}]}\n"});
  text += "          - name: " + kind.container + "\n            image: i\n";
  text += pieces.one_of({"", "            env: [{name: RANK, value: '7'}, {name: A, value: a}]\n"});
  text += pieces.one_of({"", "            ports: [{containerPort: 90}]\n",
                         "            ports: [{name: " + kind.port + ", containerPort: 4711}]\n"});
  return text;
}

std::string replica_job(Pieces& pieces) {
  static const std::vector<ReplicaKindPieces> kKinds = {
      {"PyTorchJob", "pytorchReplicaSpecs", "pytorch", "pytorchjob-port", {"Master", "Worker"}},
      {"TFJob",
       "tfReplicaSpecs",
       "tensorflow",
       "tfjob-port",
       {"Chief", "PS", "Evaluator", "Worker"}},
      {"XGBoostJob", "xgbReplicaSpecs", "xgboost", "xgboostjob-port", {"Master", "Worker"}, true},
      {"PaddleJob", "paddleReplicaSpecs", "paddle", "master", {"Master", "Worker"}},
      {"JAXJob", "jaxReplicaSpecs", "jax", "jaxjob-port", {"Worker"}},
      {"MPIJob", "mpiReplicaSpecs", "mpi", "mpi-port", {"Launcher", "Worker"}, true},
  };
  const ReplicaKindPieces& kind = kKinds[pieces.below(10) < 4 ? 0 : pieces.below(kKinds.size())];
  std::string text = "apiVersion: kubeflow.org/v1\nkind: " + kind.kind +
                     "\nmetadata: {name: job, namespace: nlp}\nspec:\n";
  if (kind.kind == "PyTorchJob") {
    text += pieces.one_of({"", "  nprocPerNode: auto\n", "  nprocPerNode: '4'\n"});
    if (pieces.below(2) == 0) {
      text += "  elasticPolicy: {" +
              pieces.one_of({"", "minReplicas: 1, ", "maxReplicas: 4, ",
                             "minReplicas: 2, maxReplicas: 3, "}) +
              pieces.one_of({"", "rdzvBackend: etcd, "}) +
              pieces.one_of({"", "rdzvPort: 29400, "}) + pieces.one_of({"", "rdzvHost: h, "}) +
              pieces.one_of({"", "rdzvId: id, "}) +
              pieces.one_of({"", "rdzvConf: [{key: a, value: b}, {key: c, value: d}], "}) +
              pieces.one_of({"", "standalone: true, "}) + pieces.one_of({"", "nProcPerNode: 8, "}) +
              pieces.one_of({"", "maxRestarts: 5"}) + "}\n";
    }
  }
  if (kind.kind == "TFJob") text += pieces.one_of({"", "  enableDynamicWorker: true\n"});
  text += "  " + kind.specs + ":\n";
  for (std::size_t i = 0; i < kind.roles.size(); ++i) {
    const bool last = i + 1 == kind.roles.size();
    const bool wanted = last || (i == 0 && kind.needs_first) || pieces.below(2) == 0;
    if (wanted) text += replica(pieces, kind, kind.roles[i], last);
  }
  return text;
}

/// The pods of a job in the order of the roles' names: name and spec of each.
std::vector<std::string> pods_of(const std::string& job_text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("case", job_text);
  const std::vector<Tree> documents = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  REQUIRE(documents.size() == 1);
  const View job(documents[0], documents[0].root());
  const PodKind* kind = find_pod_kind(job);
  REQUIRE(kind != nullptr);
  std::vector<PodRole> roles = kind->roles(job);
  std::ranges::sort(roles, {}, &PodRole::name);
  std::vector<std::string> answers;
  for (const PodRole& role : roles) {
    for (std::int64_t i = 0; i < role.count; ++i) {
      Tree tree;
      Origins origins;
      PodBuilder maker(tree, origins);
      const EffectivePod pod = kind->pod(maker, job, role.name, i, {});
      if (!pod.failure.empty()) {
        answers.push_back("error");
        continue;
      }
      tree.set_root(pod.root);
      Compared compared(std::move(tree));
      answers.push_back(pod.name + " " + compared.text(pod.root, {}, "spec"));
    }
  }
  return answers;
}

}  // namespace

TEST_CASE("the pods of replicas are those that the Training Operator makes", "[go]") {
  const Oracle oracle = module_oracle("training-operator");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  constexpr std::size_t kCases = 500;
  Pieces pieces;
  std::vector<std::string> cases;
  std::string input;
  for (std::size_t i = 0; i < kCases; ++i) {
    cases.push_back(replica_job(pieces));
    input += cases.back() + "---\n";
  }
  const std::vector<std::string> answers = ask(oracle, "training-operator", input);
  std::size_t next = 0;
  for (const std::string& each : cases) {
    INFO(each);
    for (const std::string& ours : pods_of(each)) {
      REQUIRE(next < answers.size());
      const std::string& answer = answers[next++];
      std::string wanted = "error";
      if (!answer.starts_with("error")) {
        Compared read(read_one(answer));
        const std::string name(read.at("name").text());
        wanted = name + " " + read.text(read.root(), {}, "spec");
      }
      CHECK(ours == wanted);
    }
  }
  CHECK(next == answers.size());
  CHECK(next > 2 * kCases);
}
