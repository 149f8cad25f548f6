// The pods of JobSets, MPIJobs, LeaderWorkerSets and the kinds of KubeRay, against the controllers'
// own code.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>
#include <vector>

#include "effective/job_of_job_set.h"
#include "effective/pods.h"
#include "property/effective_compare.h"
#include "property/oracle.h"

using namespace trainyard;

namespace {

constexpr std::size_t kCases = 300;

/// A pod's spec, in one line.
std::string pod_spec(Pieces& pieces) {
  std::string text = "{";
  text += pieces.one_of({"", "", "restartPolicy: Never, ", "hostNetwork: true, "});
  text += pieces.one_of({"", "subdomain: own, ", "nodeSelector: {pool: h100}, "});
  text +=
      pieces.one_of({"", "dnsConfig: {searches: [a.b]}, ", "tolerations: [{operator: Exists}], "});
  text += pieces.one_of({"",
                         "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                         "[{topologyKey: rack}]}}, ",
                         "affinity: {nodeAffinity: {}}, "});
  text += pieces.one_of({"", "volumes: [{name: data, emptyDir: {}}, {name: v, emptyDir: {}}], "});
  text +=
      pieces.one_of({"", "initContainers: [{name: i, image: p, env: [{name: A, value: a}]}], "});
  text += "containers: [{name: c, image: i, ";
  text += pieces.one_of({"", "command: [run], ", "args: [x], "});
  text += pieces.one_of(
      {"", "env: [{name: A, value: a}, {name: B, value: b}], ",
       "env: [{name: A, value: a}, {name: LWS_GROUP_SIZE, value: '9'}, {name: A, value: z}], "});
  text += pieces.one_of({"", "volumeMounts: [{name: data, mountPath: /data}], "});
  text += "}" + pieces.one_of({"", ", {name: side, image: s}"}) + "]}";
  return text;
}

std::string pod_template(Pieces& pieces) {
  return "{" +
         pieces.one_of({"", "metadata: {labels: {l: m}}, ",
                        "metadata: {labels: {l: m}, annotations: {a: b}}, "}) +
         "spec: " + pod_spec(pieces) + "}";
}

std::string head(const std::string& api, const std::string& kind, const std::string& annotations) {
  return "apiVersion: " + api + "\nkind: " + kind + "\nmetadata: {name: job, namespace: nlp" +
         (annotations.empty() ? "" : ", annotations: {" + annotations + "}") + "}\nspec:\n";
}

std::string mpi_job(Pieces& pieces) {
  std::string text = head("kubeflow.org/v2beta1", "MPIJob", "");
  text += pieces.one_of({"", "  slotsPerWorker: 8\n"});
  text += pieces.one_of({"", "  mpiImplementation: Intel\n", "  mpiImplementation: MPICH\n",
                         "  mpiImplementation: OpenMPI\n"});
  text += pieces.one_of({"", "  runLauncherAsWorker: true\n"});
  text += pieces.one_of({"", "  sshAuthMountPath: /home/u/.ssh\n"});
  text += "  mpiReplicaSpecs:\n";
  const auto replica = [&](const std::string& role, const std::string& count) {
    text += "    " + role + ":\n" + count;
    text += pieces.one_of({"", "      restartPolicy: Never\n", "      restartPolicy: OnFailure\n"});
    text += "      template: " + pod_template(pieces) + "\n";
  };
  replica("Launcher", pieces.one_of({"", "      replicas: 1\n"}));
  if (pieces.below(6) != 0) {
    replica("Worker", pieces.one_of({"", "      replicas: 1\n", "      replicas: 3\n"}));
  }
  return text;
}

std::string job_set(Pieces& pieces) {
  const std::string exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology: rack";
  const std::string by_selector = "alpha.jobset.sigs.k8s.io/node-selector: 'true'";
  std::string text = head("jobset.x-k8s.io/v1alpha2", "JobSet",
                          pieces.one_of({"", "", exclusive, exclusive + ", " + by_selector}));
  text += pieces.one_of(
      {"", "", "  network: {subdomain: net}\n", "  network: {enableDNSHostnames: false}\n"});
  text += pieces.one_of({"", "  coordinator: {replicatedJob: one}\n",
                         "  coordinator: {replicatedJob: two, jobIndex: 1, podIndex: 2}\n"});
  text += pieces.one_of({"", "  suspend: true\n"});
  if (pieces.below(3) == 0) {
    text +=
        "  volumeClaimPolicies: [{templates: [{metadata: {name: data}, spec: {}}, {metadata: "
        "{name: none}, spec: {}}]}]\n";
  }
  text += "  replicatedJobs:\n";
  for (const std::string name : {"one", "two"}) {
    if (name == "two" && pieces.below(3) == 0) break;
    text += "  - name: " + name + "\n";
    text += pieces.one_of({"", "    replicas: 2\n"});
    text += pieces.one_of({"", "", "    groupName: g\n"});
    text += "    template:\n";
    text += pieces.one_of({"", "", "      metadata: {labels: {j: k}, annotations: {x: z}}\n",
                           "      metadata: {annotations: {" + exclusive + "}}\n",
                           "      metadata: {annotations: {" + by_selector + "}}\n"});
    text += "      spec:\n";
    text += pieces.one_of({"", "        completionMode: NonIndexed\n",
                           "        completionMode: Indexed\n        completions: 2\n"});
    text += "        template: " + pod_template(pieces) + "\n";
  }
  // Pods without an index have none to follow.
  for (std::size_t at = 0; text.find("exclusive") != text.npos;) {
    at = text.find("NonIndexed", at);
    if (at == text.npos) break;
    text.erase(at, 3);
  }
  return text;
}

std::string leader_worker_set(Pieces& pieces) {
  std::string annotations =
      pieces.one_of({"", "", "leaderworkerset.sigs.k8s.io/exclusive-topology: rack"});
  if (pieces.below(3) == 0) {
    annotations += std::string(annotations.empty() ? "" : ", ") +
                   "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: block";
  }
  std::string text = head("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", annotations);
  text += pieces.one_of({"", "  replicas: 2\n"});
  text += pieces.one_of({"", "  networkConfig: {subdomainPolicy: UniquePerReplica}\n",
                         "  networkConfig: {subdomainPolicy: Shared}\n"});
  text += "  leaderWorkerTemplate:\n";
  text += pieces.one_of({"", "    size: 1\n", "    size: 4\n", "    size: 5\n"});
  text += pieces.one_of(
      {"", "", "    subGroupPolicy: {subGroupSize: 2}\n",
       "    subGroupPolicy: {subGroupSize: 2, subGroupPolicyType: LeaderExcluded}\n"});
  if (pieces.below(2) == 0) text += "    leaderTemplate: " + pod_template(pieces) + "\n";
  text += "    workerTemplate: " + pod_template(pieces) + "\n";
  return text;
}

/// A container that runs Ray, and what stands beside it.
std::string ray_pod_spec(Pieces& pieces) {
  std::string text = "{";
  text += pieces.one_of({"", "", "restartPolicy: OnFailure, ", "serviceAccountName: own, "});
  text += pieces.one_of({"", "", "volumes: [{name: shared-mem, emptyDir: {}}], ",
                         "volumes: [{name: ray-logs, emptyDir: {}}, {name: d, emptyDir: {}}], "});
  text += pieces.one_of({"", "", "initContainers: [{name: i, image: p, env: [{name: A}]}], ",
                         "initContainers: [{name: wait-gcs-ready, image: p, args: [a]}], "});
  text += "containers: [{name: ray, image: i, ";
  text += pieces.one_of({"", "", "command: [run, it], ", "args: [x], ", "args: [ray start], "});
  text += pieces.one_of({"", "", "imagePullPolicy: Always, ", "securityContext: {runAsUser: 1}, "});
  text +=
      pieces.one_of({"", "", "env: [{name: RAY_PORT, value: '1'}, {name: RAY_ADDRESS, value: a}], ",
                     "env: [{name: RAY_AUTH_TOKEN, value: t}, {name: RAY_AUTH_MODE, value: m}], ",
                     "env: [{name: RAY_external_storage_namespace, value: ns}, {name: "
                     "RAY_SERVE_KV_TIMEOUT_S, value: '9'}], "});
  text += pieces.one_of({"", "", "ports: [{name: metrics, containerPort: 1}], ",
                         "ports: [{name: dashboard, containerPort: 2}, {name: serve, "
                         "containerPort: 3}], "});
  text += pieces.one_of(
      {"", "", "resources: {limits: {cpu: 500m, memory: 3Gi, nvidia.com/gpu: 2}}, ",
       "resources: {requests: {cpu: 3, memory: 1Gi, nvidia.com/gpu: 1}, limits: {cpu: 0}}, ",
       "resources: {limits: {google.com/tpu: 4, nvidia.com/mig-1g.5gb: 3}}, ",
       "resources: {limits: {aws.amazon.com/neuroncore: 1, nvidia.com/mig-1g.5gb.me: 3}}, "});
  text += pieces.one_of({"", "", "volumeMounts: [{name: d, mountPath: /dev/shm}], ",
                         "volumeMounts: [{name: ray-token, mountPath: /t}], "});
  text += pieces.one_of({"", "", "livenessProbe: {httpGet: {port: 1}}, "});
  text += "}" + pieces.one_of({"", "", ", {name: side, image: s}"}) + "]}";
  return text;
}

std::string ray_group(Pieces& pieces, const std::string& parameters, const std::string& indent) {
  std::string text = indent + "rayStartParams: {" + parameters;
  text +=
      pieces.one_of({"", "", "dashboard-agent-listen-port: '5', ", "num-cpus: '0', ",
                     "log-color: 'true', disable-usage-stats: 'True', ",
                     "metrics-export-port: '9', plasma-directory: /p, ",
                     "resources: '\'\'{\"TPU\": 1, \"b\": 1.5}\'\'', ", "resources: 'no json', "});
  text += "}\n";
  text += pieces.one_of({"", "", indent + "resources: {CPU: '2', GPU: '1', memory: 1Gi}\n",
                         indent + "resources: {TPU: '4', special: 500m, cpu: x}\n"});
  text += pieces.one_of({"", "", indent + "labels: {ray.io/region: eu, l: group}\n"});
  text += indent + "template: {";
  text += pieces.one_of({"", "metadata: {labels: {l: m, ray.io/group: g, ray.io/identifier: i}}, ",
                         "metadata: {annotations: {ray.io/overwrite-container-cmd: 'True'}}, "});
  return text + "spec: " + ray_pod_spec(pieces) + "}\n";
}

std::string ray_cluster(Pieces& pieces, const std::string& indent) {
  std::string text;
  text += pieces.one_of({"", indent + "rayVersion: 2.52.0\n", indent + "rayVersion: 2.53.0\n"});
  text += pieces.one_of({"", "", indent + "authOptions: {mode: token}\n",
                         indent + "authOptions: {mode: token, secretName: s}\n",
                         indent + "authOptions: {mode: token, enableK8sTokenAuth: true}\n"});
  text += pieces.one_of(
      {"", "", indent + "gcsFaultToleranceOptions: {redisAddress: 'r:1'}\n",
       indent + "gcsFaultToleranceOptions: {redisAddress: 'r:1', externalStorageNamespace: ns, "
                "redisUsername: {value: u}, redisPassword: {valueFrom: {secretKeyRef: {name: s, "
                "key: k}}}}\n"});
  text += pieces.one_of({"", "", indent + "enableInTreeAutoscaling: true\n"});
  text += pieces.one_of(
      {"", "", indent + "autoscalerOptions: {version: v2, env: [{name: A, value: b}]}\n",
       indent + "autoscalerOptions: {image: a, imagePullPolicy: Never, volumeMounts: [{name: d, "
                "mountPath: /d}], resources: {limits: {cpu: 1}}, envFrom: [{prefix: p}]}\n"});
  text += indent + "headGroupSpec:\n";
  text += pieces.one_of({"", "", indent + "  headService: {metadata: {name: front}}\n"});
  text += ray_group(pieces,
                    pieces.one_of({"", "", "port: '1', dashboard-port: '2', ",
                                   "redis-password: p, dashboard-host: 'h', "}),
                    indent + "  ");
  if (pieces.below(5) == 0) return text;
  text += indent + "workerGroupSpecs:\n";
  for (const std::string name : {"gpu", "a-group-with-a-name-that-is-too-long-for-its-pods"}) {
    text += indent + "- groupName: " + name + "\n" + indent + "  replicas: ";
    text += pieces.one_of({"0\n", "1\n", "3\n"});
    text += pieces.one_of({"", indent + "  minReplicas: 1\n", indent + "  maxReplicas: 2\n",
                           indent + "  suspend: true\n"});
    text += pieces.one_of({"", "", indent + "  numOfHosts: 2\n"});
    text += ray_group(pieces, pieces.one_of({"", "", "address: 'a:1', "}), indent + "  ");
    if (pieces.below(2) == 0) break;
  }
  return text;
}

std::string ray_annotations(Pieces& pieces) {
  return pieces.one_of({"", "", "", "ray.io/ft-enabled: 'TRUE'",
                        "ray.io/ft-enabled: 'true', ray.io/external-storage-namespace: own",
                        "ray.io/overwrite-container-cmd: 'true'"});
}

std::string of_long_name(Pieces& pieces, std::string text, const std::string& name) {
  if (pieces.below(4) == 0) text.replace(text.find("name: job,"), 10, "name: " + name + ",");
  return text;
}

std::string ray_cluster_alone(Pieces& pieces) {
  return of_long_name(pieces, head("ray.io/v1", "RayCluster", ray_annotations(pieces)),
                      "a-cluster-with-as-long-a-name-as-kuberay-takes-it-5-3") +
         ray_cluster(pieces, "  ");
}

std::string ray_service(Pieces& pieces) {
  return of_long_name(pieces, head("ray.io/v1", "RayService", ray_annotations(pieces)),
                      "a-service-with-as-long-a-name-as-is-not-cut4") +
         "  rayClusterConfig:\n" + ray_cluster(pieces, "    ");
}

std::string ray_job(Pieces& pieces) {
  std::string text = head("ray.io/v1", "RayJob", ray_annotations(pieces));
  text += pieces.one_of({"", "  submissionMode: K8sJobMode\n", "  submissionMode: HTTPMode\n",
                         "  submissionMode: SidecarMode\n"});
  text += pieces.one_of({"", "  jobId: own\n"});
  text += pieces.one_of(
      {"", "  runtimeEnvYAML: |\n    pip: [b, a]\n    env_vars: {B: '<1>', A: \"2\"}\n"});
  text +=
      pieces.one_of({"  entrypoint: python a.py\n", "  entrypoint: |\n    python \"a b.py\"\n"});
  text += pieces.one_of({"", "  entrypointNumCpus: 0.5\n  entrypointNumGpus: 2\n"});
  text += pieces.one_of({"", "  entrypointResources: '{\"a\": 1}'\n"});
  if (text.find("Sidecar") == text.npos && pieces.below(3) == 0) {
    text += "  submitterPodTemplate: " + pod_template(pieces) + "\n";
  }
  return text + "  rayClusterSpec:\n" + ray_cluster(pieces, "    ");
}

/// What stands in a text for what only the cluster knows, and keys that another controller sets.
void take_away(Tree& tree, NodeId root, std::initializer_list<std::string_view> keys) {
  const NodeId metadata = tree.find(root, "metadata");
  for (std::string_view map : {"labels", "annotations"}) {
    const NodeId owner = tree.find(metadata, map);
    if (owner == kNoNode) continue;
    for (std::string_view key : keys) {
      if (const NodeId found = tree.find(owner, key); found != kNoNode) tree.remove(owner, found);
    }
  }
}

using Compare = std::function<std::vector<std::string>(View job)>;

void compare(std::string (*make)(Pieces&), const Compare& ours,
             const std::function<std::string(Tree)>& theirs) {
  const Oracle oracle = module_oracle("controllers");
  if (!oracle.missing.empty()) SKIP(oracle.missing);
  Pieces pieces;
  std::vector<std::string> cases;
  std::string input;
  for (std::size_t i = 0; i < kCases; ++i) {
    cases.push_back(make(pieces));
    input += cases.back() + "---\n";
  }
  const std::vector<std::string> answers = ask(oracle, "controllers", input);
  std::size_t next = 0;
  for (const std::string& each : cases) {
    INFO(each);
    SourceMap sources;
    Sink sink;
    const FileId file = sources.add("case", each);
    const std::vector<Tree> documents = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
    REQUIRE(documents.size() == 1);
    for (const std::string& made : ours(View(documents[0], documents[0].root()))) {
      REQUIRE(next < answers.size());
      INFO(answers[next]);
      REQUIRE(answers[next].starts_with('{'));
      CHECK(made == theirs(read_one(answers[next++])));
    }
  }
  CHECK(next == answers.size());
  CHECK(next > kCases);
}

/// Pods with their names, labels, annotations and specs.
std::string pod_text(Tree tree, NodeId root, std::initializer_list<std::string_view> without_keys,
                     std::initializer_list<std::string_view> without = {"ownerReferences"}) {
  take_away(tree, root, without_keys);
  tree.set_root(root);
  for (std::string_view key : {"apiVersion", "kind", "status"}) {
    if (const NodeId found = tree.find(root, key); found != kNoNode) tree.remove(root, found);
  }
  return Compared(std::move(tree)).text(root, without);
}

EffectivePod made_pod(PodBuilder& maker, View job, std::string_view role, std::int64_t index) {
  const PodKind* kind = find_pod_kind(job);
  REQUIRE(kind != nullptr);
  EffectivePod pod = kind->pod(maker, job, role, index, {1, 34});
  REQUIRE(pod.failure.empty());
  return pod;
}

std::string our_pod(View job, std::string_view role, std::int64_t index,
                    std::initializer_list<std::string_view> without_keys,
                    std::initializer_list<std::string_view> without = {}) {
  Tree tree;
  Origins origins;
  PodBuilder maker(tree, origins);
  const EffectivePod pod = made_pod(maker, job, role, index);
  return pod_text(std::move(tree), pod.root, without_keys, without);
}

std::vector<NodeId> init_containers_of(const Tree& tree, NodeId spec) {
  std::vector<NodeId> found;
  for (View each : items_at(View(tree, spec), "initContainers")) found.push_back(each.id());
  return found;
}

/// The pods of a cluster with `abcde` for what KubeRay makes up; without the script of the
/// container that waits for the head: we show what it does.
std::string ray_pod_text(Tree tree, NodeId root) {
  const NodeId metadata = tree.find(root, "metadata");
  if (const NodeId prefix = tree.find(metadata, "generateName"); prefix != kNoNode) {
    const std::string name = std::string(tree[prefix].text) + "abcde";
    tree.remove(metadata, prefix);
    tree.append(metadata, "name", tree.add_string(tree.intern(name)));
  }
  const NodeId spec = tree.find(root, "spec");
  for (NodeId each : init_containers_of(tree, spec)) {
    const NodeId name = tree.find(each, "name");
    const NodeId args = tree.find(each, "args");
    if (args != kNoNode && tree[name].text == "wait-gcs-ready") tree.remove(each, args);
  }
  std::string text = pod_text(std::move(tree), root, {});
  for (std::size_t at = text.find(kRandom); at != text.npos; at = text.find(kRandom, at)) {
    text.replace(at, kRandom.size(), "abcde");
  }
  return text;
}

std::vector<std::string> our_ray_pods(View object) {
  std::vector<std::string> made;
  for (const PodRole& role : find_pod_kind(object)->roles(object)) {
    for (std::int64_t i = 0; i < role.count; ++i) {
      Tree tree;
      Origins origins;
      PodBuilder maker(tree, origins);
      const EffectivePod pod = made_pod(maker, object, role.name, i);
      if (role.name == "submitter") {  // from whose template the Job controller makes a pod
        take_away(tree, pod.root,
                  {"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
                   "controller-uid", "job-name"});
        const NodeId metadata = tree.find(pod.root, "metadata");
        for (std::string_view key : {"name", "namespace", "finalizers"}) {
          if (const NodeId found = tree.find(metadata, key); found != kNoNode) {
            tree.remove(metadata, found);
          }
        }
      }
      made.push_back(ray_pod_text(std::move(tree), pod.root));
    }
  }
  return made;
}

std::string their_ray_pod(Tree answer) {
  const NodeId root = answer.root();
  return ray_pod_text(std::move(answer), root);
}

}  // namespace

TEST_CASE("the pods of a RayCluster are those that KubeRay makes", "[go]") {
  compare(ray_cluster_alone, our_ray_pods, their_ray_pod);
}

TEST_CASE("the pods of a RayService are those that KubeRay makes", "[go]") {
  compare(ray_service, our_ray_pods, their_ray_pod);
}

TEST_CASE("the pods of a RayJob are those that KubeRay makes", "[go]") {
  compare(ray_job, our_ray_pods, their_ray_pod);
}

TEST_CASE("the pods of an MPIJob are those that the MPI Operator makes", "[go]") {
  // The launcher's are made by the controller of Jobs from the template that is compared.
  compare(
      mpi_job,
      [](View job) {
        std::vector<std::string> made = {
            our_pod(job, "Launcher", 0,
                    {"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
                     "controller-uid", "job-name"},
                    {"name", "namespace", "finalizers"})};
        for (const PodRole& role : find_pod_kind(job)->roles(job)) {
          for (std::int64_t i = 0; role.name == "Worker" && i < role.count; ++i) {
            made.push_back(our_pod(job, "Worker", i, {}));
          }
        }
        return made;
      },
      [](Tree answer) {
        const NodeId root = answer.root();
        return pod_text(std::move(answer), root, {});
      });
}

TEST_CASE("the Jobs of a JobSet are those that its controller makes", "[go]") {
  const auto text = [](Tree& tree, NodeId job, View labels, View affinity) {
    Tree pod;
    const NodeId root = pod.add_map();
    for (const auto& [key, view] : {std::pair("labels", labels), std::pair("affinity", affinity)}) {
      if (view) pod.append(root, key, pod.copy(view.tree(), view.id()));
    }
    const NodeId spec = tree.find(job, "spec");
    // It is distinguished from pods that are still held back.
    if (const NodeId found = tree.find(spec, "suspend"); found != kNoNode) tree.remove(spec, found);
    pod.set_root(root);
    const std::string of_pod = Compared(std::move(pod)).text(root);
    return pod_text(std::move(tree), job, {}) + of_pod;
  };
  compare(
      job_set,
      [&](View set) {
        std::vector<std::string> made;
        const std::vector<PodRole> roles = find_pod_kind(set)->roles(set);
        std::size_t at = 0;
        for (View each : items_at(get(set, "spec"), "replicatedJobs")) {
          const std::int64_t jobs = integer_at(each, "replicas").value_or(1);
          const std::int64_t pods = roles[at].count / jobs;
          for (std::int64_t i = 0; i < jobs; ++i) {
            Tree tree;
            Origins origins;
            PodBuilder maker(tree, origins);
            const NodeId job = job_of_job_set(maker, set, each, i);
            Tree other;
            PodBuilder pod_maker(other, origins);
            const EffectivePod pod = made_pod(pod_maker, set, roles[at].name, i * pods);
            take_away(other, pod.root,
                      {"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
                       "controller-uid", "job-name", "batch.kubernetes.io/job-completion-index"});
            const View done(other, pod.root);
            made.push_back(text(tree, job, get(get(done, "metadata"), "labels"),
                                get(get(done, "spec"), "affinity")));
          }
          ++at;
        }
        return made;
      },
      [&](Tree answer) {
        const View root(answer, answer.root());
        Tree copy;  // of what is read beside the job, which changes
        const NodeId rest = copy.copy(answer, root.id());
        const View kept(copy, rest);
        return text(answer, get(root, "job").id(), get(kept, "labels"), get(kept, "affinity"));
      });
}

TEST_CASE("the pods of a LeaderWorkerSet are those that its controller makes", "[go]") {
  compare(
      leader_worker_set,
      [](View set) {
        const View group = get(get(set, "spec"), "leaderWorkerTemplate");
        const std::int64_t groups = integer_at(get(set, "spec"), "replicas").value_or(1);
        const std::int64_t size = integer_at(group, "size").value_or(1);
        const bool own = static_cast<bool>(get(group, "leaderTemplate"));
        std::vector<std::string> made;
        for (std::int64_t i = 0; i < groups * size; ++i) {
          const bool leads = i % size == 0;
          const std::int64_t index = !own    ? i
                                     : leads ? i / size
                                             : i / size * (size - 1) + i % size - 1;
          Tree tree;
          Origins origins;
          PodBuilder maker(tree, origins);
          const EffectivePod pod = made_pod(maker, set, own && leads ? "leader" : "worker", index);
          // A worker goes where its leader is, which the oracle does not know.
          const NodeId spec = tree.find(pod.root, "spec");
          const NodeId selector = tree.find(spec, "nodeSelector");
          const NodeId domain = selector == kNoNode ? kNoNode : tree.find(selector, "rack");
          if (domain != kNoNode) tree.remove(selector, domain);
          made.push_back(pod_text(
              std::move(tree), pod.root,
              {"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index",
               "controller-revision-hash", "leaderworkerset.sigs.k8s.io/template-revision-hash"}));
        }
        return made;
      },
      [](Tree answer) {
        const NodeId root = answer.root();
        return pod_text(std::move(answer), root,
                        {"leaderworkerset.sigs.k8s.io/template-revision-hash"});
      });
}
