// Random specs come back from their manifests, and random manifests lose nothing in silence.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

#include "sample.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  bool chance(int percent) { return below(100) < percent; }
  std::string pick(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
  }

 private:
  std::mt19937 random_;
};

bool has(const std::vector<Diagnostic>& reports, DiagnosticKind kind) {
  return std::ranges::any_of(reports, [&](const Diagnostic& each) { return each.kind == kind; });
}

std::string messages(const std::vector<Diagnostic>& reports) {
  std::string text;
  for (const Diagnostic& each : reports) {
    text += each.path + " " + each.message + "\n";
    for (const std::string& note : each.notes) text += "  " + note + "\n";
  }
  return text;
}

/// The objects of a stream, without the comments in front.
std::string objects_of(const std::string& text) {
  const std::size_t begin = text.find("---\n");
  return begin == text.npos ? std::string() : text.substr(begin);
}

const std::vector<std::string> kTargets = {
    "job",    "jobset", "trainjob", "pytorchjob", "tfjob", "xgboostjob", "paddlejob",
    "jaxjob", "mpijob", "volcano",  "rayjob",     "lws",   "runai",      "runai-distributed"};

/// What parts a random spec may have; the indents are those of `spec`.
const std::vector<std::string> kSpecParts = {
    "  env: {LOG_LEVEL: info, TOTAL: \"8\"}\n",
    "  secretEnv: {TOKEN: {name: keys, key: token}}\n",
    "  processesPerNode: 2\n",
    "  resources: {cpu: 6, memory: 24Gi, sharedMemory: 4Gi}\n",
    "  storage: {data: {claim: corpus, mountPath: /data, readOnly: true}}\n",
    "  storage: {scratch: {emptyDir: {}, mountPath: /scratch}}\n",
    "  placement: {nodeSelector: {disk: fast}, onePodPerNode: false}\n",
    "  placement: {tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]}\n",
    "  scheduling: {priorityClass: high}\n",
    "  lifecycle: {retries: 3, deadline: 2h}\n",
    "  lifecycle: {retries: 0, ttl: 1h}\n",
    "  security: {level: restricted}\n",
    "  imagePullPolicy: Always\n",
    "  imagePullSecrets: [registry]\n",
    "  files: {config.yaml: {mountPath: /etc/train/config.yaml, content: \"steps: 10\\n\"}}\n",
};

std::string field_of(const std::string& part) {
  return part.substr(0, part.find(':'));
}

std::string random_spec(Random& random) {
  std::string text =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: random}\nspec:\n"
      "  image: registry.example.com/train:1\n";
  text += "  framework: " + random.pick({"pytorch", "none", "mpi", "jax", "tensorflow"}) + "\n";
  text += "  run: " +
          random.pick({"{script: train.py, args: [--steps, \"10\"]}", "{module: train.main}",
                       "{command: [python, train.py]}", "{shell: \"cd /work && exec ./train\"}"}) +
          "\n";
  text += "  nodes: " + std::to_string(1 + random.below(4)) + "\n";
  text += "  gpusPerNode: " + random.pick({"0", "1", "8"}) + "\n";
  std::vector<std::string> fields;
  for (const std::string& part : kSpecParts) {
    const std::string field = field_of(part);
    if (!random.chance(25) || std::ranges::find(fields, field) != fields.end()) continue;
    fields.push_back(field);
    text += part;
  }
  return text;
}

/// Manifests whose values are words of their own, so that each is found again in what a build
/// makes, or in what was reported.
class Manifest {
 public:
  explicit Manifest(unsigned seed) : random_(seed) {}

  std::vector<std::string> words;
  std::string text;

  void make() {
    const std::vector<void (Manifest::*)()> kinds = {
        &Manifest::job,         &Manifest::job_set, &Manifest::pytorch_job,
        &Manifest::mpi_job,     &Manifest::volcano, &Manifest::set,
        &Manifest::replica_job, &Manifest::ray_job, &Manifest::train_job};
    (this->*kinds[static_cast<std::size_t>(random_.below(static_cast<int>(kinds.size())))])();
  }

 private:
  std::string word() {
    words.push_back("word" + std::to_string(words.size()) + "x");
    return words.back();
  }
  /// An amount that nothing else has.
  std::string amount() { return std::to_string(11 + 2 * random_.below(40)); }

  void line(int indent, const std::string& what) {
    text += std::string(static_cast<std::size_t>(indent), ' ') + what + "\n";
  }
  void maybe(int indent, const std::string& key) {
    if (random_.chance(30)) line(indent, key + ": " + word());
  }
  void maybe_map(int indent, const std::string& key) {
    if (!random_.chance(30)) return;
    line(indent, key + ":");
    line(indent + 2, "example.com/" + word() + ": " + word());
  }

  void head(const std::string& version, const std::string& kind) {
    text = "apiVersion: " + version + "\nkind: " + kind + "\nmetadata:\n";
    line(2, "name: random");
    maybe_map(2, "labels");
    maybe_map(2, "annotations");
    text += "spec:\n";
  }

  /// A pod template, whose `metadata` and `spec` stand at this indent.
  void pod(int at, bool gpus, const std::string& restart = "Never") {
    if (random_.chance(50)) {
      line(at, "metadata:");
      maybe_map(at + 2, "labels");
      maybe_map(at + 2, "annotations");
      line(at + 2, "creationTimestamp: null");
    }
    line(at, "spec:");
    at += 2;
    if (!restart.empty()) line(at, "restartPolicy: " + restart);
    maybe(at, "serviceAccountName");
    maybe(at, "priorityClassName");
    maybe(at, "schedulerName");
    maybe(at, "runtimeClassName");
    maybe_map(at, "nodeSelector");
    if (random_.chance(30)) {
      line(at, "tolerations:");
      line(at, "- {key: " + word() + ", operator: Equal, value: " + word() + "}");
    }
    if (random_.chance(20)) line(at, "hostNetwork: true");
    const std::string volume = random_.chance(50) ? word() : std::string();
    line(at, "containers:");
    container(at, gpus, volume.empty() ? "" : "data");
    if (random_.chance(20)) {
      line(at, "- name: beside");
      line(at + 2, "image: " + word());
      line(at + 2, "command: [" + word() + "]");
    }
    if (volume.empty()) return;
    line(at, "volumes:");
    line(at, "- name: data");
    line(at + 2,
         random_.pick({"persistentVolumeClaim: {claimName: " + volume + "}",
                       "hostPath: {path: /" + volume + "}", "configMap: {name: " + volume + "}",
                       "secret: {secretName: " + volume + "}"}));
  }

  void container(int at, bool gpus, const std::string& volume) {
    const std::string name = random_.pick({"pytorch", "trainer", "main"});
    line(at, "- name: " + (container_.empty() ? name : container_));
    at += 2;
    line(at, "image: registry.example.com/" + word());
    line(at, random_.pick({"command: [python, ", "command: [bash, -c, ", "args: [", "command: ["}) +
                 word() + ", " + word() + "]");
    if (random_.chance(30)) line(at, "workingDir: /" + word());
    if (random_.chance(60)) {
      line(at, "env:");
      line(at, "- {name: VARIABLE_" + std::to_string(words.size()) + ", value: " + word() + "}");
      if (random_.chance(40)) {
        line(at, "- name: OTHER_" + std::to_string(words.size()));
        line(at, "  valueFrom: {secretKeyRef: {name: " + word() + ", key: " + word() + "}}");
      }
    }
    if (gpus || random_.chance(40)) {
      line(at, "resources:");
      if (random_.chance(50)) line(at + 2, "requests: {memory: " + amount() + "Gi}");
      line(at + 2, std::string("limits: {") + (gpus ? "nvidia.com/gpu: 8, " : "") +
                       "cpu: " + amount() + ", memory: 93Gi}");
    }
    if (!volume.empty()) {
      line(at, "volumeMounts:");
      line(at, "- {name: " + volume + ", mountPath: /" + word() + "}");
    }
    if (random_.chance(20)) {
      line(at, "securityContext: {capabilities: {add: [IPC_LOCK]}}");
    }
    if (random_.chance(20)) {
      line(at, "readinessProbe: {exec: {command: [" + word() + "]}, periodSeconds: 7}");
    }
  }

  void job() {
    head("batch/v1", "Job");
    const std::string pods = std::to_string(1 + random_.below(3));
    line(2, "parallelism: " + pods);
    line(2, "completions: " + pods);
    line(2, "completionMode: Indexed");
    if (random_.chance(40)) line(2, "backoffLimit: " + std::to_string(random_.below(5)));
    line(2, "template:");
    pod(4, random_.chance(50));
  }

  void job_set() {
    head("jobset.x-k8s.io/v1alpha2", "JobSet");
    if (random_.chance(40)) line(2, "failurePolicy: {maxRestarts: 3}");
    line(2, "replicatedJobs:");
    for (const std::string& name : roles({"worker"}, {"master", "worker"})) {
      line(2, "- name: " + name);
      line(4, "replicas: " + std::to_string(1 + random_.below(2)));
      line(4, "template:");
      line(6, "spec:");
      line(8, "parallelism: 2");
      line(8, "completions: 2");
      line(8, "backoffLimit: 0");
      line(8, "template:");
      pod(10, true);
    }
  }

  void pytorch_job() {
    head("kubeflow.org/v1", "PyTorchJob");
    if (random_.chance(40)) line(2, "nprocPerNode: \"4\"");
    if (random_.chance(40)) line(2, "runPolicy: {backoffLimit: 3, cleanPodPolicy: None}");
    line(2, "pytorchReplicaSpecs:");
    for (const std::string& name : roles({"Worker"}, {"Master", "Worker"})) {
      line(4, name + ":");
      line(6, "replicas: " + std::string(name == "Master" ? "1" : "3"));
      line(6, "restartPolicy: " + random_.pick({"Never", "OnFailure"}));
      line(6, "template:");
      pod(8, true, "");
    }
  }

  /// A job of the Training Operator whose workers are alike.
  void replica_job() {
    const std::vector<std::vector<std::string>> kinds = {
        {"TFJob", "tfReplicaSpecs", "tensorflow"},
        {"PaddleJob", "paddleReplicaSpecs", "paddle"},
        {"XGBoostJob", "xgbReplicaSpecs", "xgboost"},
        {"JAXJob", "jaxReplicaSpecs", "jax"}};
    const auto& kind = kinds[static_cast<std::size_t>(random_.below(4))];
    head("kubeflow.org/v1", kind[0]);
    if (random_.chance(40)) line(2, "runPolicy: {backoffLimit: 3, cleanPodPolicy: None}");
    line(2, kind[1] + ":");
    line(4, "Worker:");
    line(6, "replicas: 2");
    line(6, "restartPolicy: " + random_.pick({"Never", "OnFailure"}));
    line(6, "template:");
    container_ = kind[2];
    pod(8, true, "");
    container_.clear();
  }

  void ray_job() {
    head("ray.io/v1", "RayJob");
    line(2, "entrypoint: python " + word());
    maybe_line(2, "shutdownAfterJobFinishes: true");
    line(2, "rayClusterSpec:");
    maybe(4, "rayVersion");
    line(4, "headGroupSpec:");
    line(6, "rayStartParams: {num-cpus: \"0\"}");
    line(6, "template:");
    pod(8, false, "");
    line(4, "workerGroupSpecs:");
    line(4, "- groupName: group");
    line(6, "replicas: 2");
    line(6, "rayStartParams: {}");
    line(6, "template:");
    pod(8, true, "");
  }

  /// On a runtime that is not among the inputs.
  void train_job() {
    head("trainer.kubeflow.org/v1alpha1", "TrainJob");
    line(2, "runtimeRef: {name: torch-distributed}");
    line(2, "trainer:");
    line(4, "image: registry.example.com/" + word());
    line(4, "command: [python, " + word() + "]");
    line(4, "numNodes: 2");
    if (random_.chance(50)) line(4, "env: [{name: VARIABLE, value: " + word() + "}]");
    if (random_.chance(50)) {
      line(4, "resourcesPerNode: {requests: {memory: " + amount() + "Gi, cpu: 3}}");
    }
    if (random_.chance(50)) return;
    line(2, "runtimePatches:");
    line(2, "- manager: example.com/" + std::string("someone"));
    line(4,
         "trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: "
         "{template: {metadata: {annotations: {example.com/a: " +
             word() + "}}, spec: {nodeSelector: {disk: " + word() + "}}}}}}]}}}");
  }

  void maybe_line(int indent, const std::string& what) {
    if (random_.chance(50)) line(indent, what);
  }

  void mpi_job() {
    head("kubeflow.org/v2beta1", "MPIJob");
    line(2, "slotsPerWorker: 8");
    line(2, "mpiReplicaSpecs:");
    for (const char* name : {"Launcher", "Worker"}) {
      line(4, std::string(name) + ":");
      line(6, "replicas: " + std::string(name == std::string("Launcher") ? "1" : "2"));
      line(6, "template:");
      pod(8, name == std::string("Worker"), "");
    }
  }

  void volcano() {
    head("batch.volcano.sh/v1alpha1", "Job");
    line(2, "schedulerName: volcano");
    line(2, "minAvailable: 2");
    maybe(2, "queue");
    line(2, "plugins: {svc: [], env: []}");
    line(2, "tasks:");
    line(2, "- name: worker");
    line(4, "replicas: 2");
    line(4, "template:");
    pod(6, true);
  }

  void set() {
    head("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet");
    line(2, "replicas: 1");
    line(2, "leaderWorkerTemplate:");
    line(4, "size: 3");
    if (random_.chance(50)) {
      line(4, "leaderTemplate:");
      pod(6, true, "");
    }
    line(4, "workerTemplate:");
    pod(6, true, "");
  }

  std::vector<std::string> roles(const std::vector<std::string>& one,
                                 const std::vector<std::string>& two) {
    return random_.chance(50) ? one : two;
  }

  Random random_;
  std::string container_;  // the name that the operator asks for; "" for any
};

}  // namespace

TEST_CASE("random specs come back from what they build for each target, or a report says why not") {
  Sample sample(4);
  std::size_t trips = 0;
  std::size_t same = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    if (!sample.takes()) continue;
    Random random(seed);
    const std::string spec = random_spec(random);
    for (const std::string& target : kTargets) {
      const Built built = build_files({{"spec.yaml", spec}}, {"spec.yaml"}, "", target);
      if (built.errors != 0) continue;
      const Converted converted = convert_text(built.text, "");
      const Built again = build_files({{"spec.yaml", converted.spec}}, {"spec.yaml"}, "", target);
      INFO("seed " << seed << ", target " << target << "\n" << spec << "\n" << converted.spec);
      INFO(messages(converted.reports) << messages(again.reports));
      ++trips;
      if (objects_of(again.text) == objects_of(built.text)) {
        ++same;
        CHECK_FALSE(has(converted.reports, DiagnosticKind::ChangedByBuild));
      } else {
        CHECK((has(converted.reports, DiagnosticKind::ChangedByBuild) ||
               has(converted.reports, DiagnosticKind::SpecDoesNotBuild)));
      }
    }
  }
  CHECK(trips > sample.least(400));
  CHECK(same == trips);
}

TEST_CASE("what random manifests say is built again, or reported") {
  Sample sample(4);
  std::size_t built_jobs = 0;
  std::size_t jobs = 0;
  for (unsigned seed = 1; seed <= 1200; ++seed) {
    if (!sample.takes()) continue;
    ++jobs;
    Manifest manifest(seed);
    manifest.make();
    const Converted converted = convert_text(manifest.text, "");
    const std::string told = messages(converted.reports);
    INFO("seed " << seed << "\n" << manifest.text << "\n" << converted.spec << "\n" << told);
    CHECK(converted.spec.empty() == has(converted.reports, DiagnosticKind::SpecDoesNotBuild));
    if (converted.spec.empty()) continue;
    const Built again = build_files({{"spec.yaml", converted.spec}}, {"spec.yaml"});
    CHECK(again.errors == 0);
    ++built_jobs;
    for (const std::string& word : manifest.words) {
      INFO(word << "\n" << again.text);
      CHECK((again.text.find(word) != std::string::npos || told.find(word) != std::string::npos));
    }
  }
  CHECK(built_jobs * 10 >= jobs * 9);  // others are refused with the reason
}
