// The pods of JobSets, MPIJobs and LeaderWorkerSets, against the controllers' own code.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>
#include <vector>

#include "effective/job_set.h"
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

EffectivePod made_pod(Maker& maker, View job, std::string_view role, std::int64_t index) {
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
  Maker maker(tree, origins);
  const EffectivePod pod = made_pod(maker, job, role, index);
  return pod_text(std::move(tree), pod.root, without_keys, without);
}

}  // namespace

TEST_CASE("the pods of an MPIJob are those that the MPI Operator makes", "[oracle]") {
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

TEST_CASE("the Jobs of a JobSet are those that its controller makes", "[oracle]") {
  const auto text = [](Tree& tree, NodeId job, View labels, View affinity) {
    Tree pod;
    const NodeId root = pod.add_map();
    for (const auto& [key, view] : {std::pair("labels", labels), std::pair("affinity", affinity)}) {
      if (view) pod.append(root, key, pod.copy(view.tree(), view.id()));
    }
    const NodeId spec = tree.find(job, "spec");
    // It is told apart from pods that no one has let go yet.
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
            Maker maker(tree, origins);
            const NodeId job = job_of_job_set(maker, set, each, i);
            Tree other;
            Maker pod_maker(other, origins);
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

TEST_CASE("the pods of a LeaderWorkerSet are those that its controller makes", "[oracle]") {
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
          Maker maker(tree, origins);
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
