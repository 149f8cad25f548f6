// A Cluster document of what a cluster has: answers in, a text out; doctor finds nothing in it.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "diag/render.h"
#include "driver/discover/discovered_document.h"
#include "driver/discover/document_lines.h"
#include "live/doctor/examination.h"
#include "unit/live/small_cluster.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

struct Discoverer : SmallCluster {
  MemoryFileSystem files;
  Env env{files, nullptr};
  DiscoveredFrom from{"lab", "dgx", "https://10.1.2.3:6443"};

  std::string document() {
    Session session(env);
    return discovered_document(survey, known_machines(session), from);
  }

  /// What our own reader and `doctor` say of the document: nothing, if it is right.
  std::string findings() {
    files.files["lab.yaml"] = document();
    Session session(env);
    const auto read = read_cluster(session, "lab.yaml");
    if (read != nullptr) {
      Answers answers;
      answers.survey = survey;
      Examination examination;
      examine_cluster(session, *read, answers, examination, session.sink);
    }
    return render_text(session.sink.sorted(), session.sources, false);
  }

  void replace_nodes(const std::vector<std::string>& nodes) {
    clear("Node");
    clear("Pod");
    for (const std::string& each : nodes) add("Node", each);
  }
};

/// A node by its labels and what it offers, both as members of a map.
std::string plain_node(const std::string& name, const std::string& labels,
                       const std::string& allocatable, const std::string& spec = "") {
  return R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels + R"(}},"spec":{)" + spec +
         R"(},"status":{"allocatable":{"cpu":"100","memory":"900Gi",)" + allocatable +
         R"(},"conditions":[{"type":"Ready","status":"True"}]}})";
}

bool has(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos) return true;
  UNSCOPED_INFO(text);
  return false;
}

/// Fails, and prints the document.
void check_round_trip(Discoverer& discoverer) {
  const std::string findings = discoverer.findings();
  INFO(discoverer.document());
  CHECK(findings == "");
}

}  // namespace

TEST_CASE("a cluster that may not be read gives a document that is valid") {
  Discoverer discoverer;
  for (auto& [name, kind] : discoverer.survey.kinds) kind = {};
  discoverer.survey.notes = {"`nodes` are left out: 403"};
  CHECK(has(discoverer.document(), "  # `nodes` are left out: 403\n"));
  check_round_trip(discoverer);
}

TEST_CASE("doctor finds nothing in what discover writes") {
  Discoverer discoverer;
  check_round_trip(discoverer);
  CHECK(
      discoverer.document() ==
      R"(# What `trainyard discover` found. A comment says where a line comes from. Check what is guessed,
# and add what is left to you.
apiVersion: trainyard/v1alpha1
kind: Cluster
metadata:
  name: lab # `--name`
spec:
  kubernetes: "1.36" # the API server
  api: {context: dgx, server: https://10.1.2.3:6443} # the kubeconfig
  operators:
    jobset: 0.12.0 # image of Deployment jobset-system/jobset
    kueue: 0.19.2 # image of Deployment kueue-system/kueue-controller-manager
  # Left to you: `defaults`, for example {target: job, namespace: research}; see `trainyard explain
  # Cluster.spec.defaults`.
  pools:
  - name: h100 # label node-pool
    machine: dgx-h100 # guessed: by the GPUs
    count: 2 # nodes gpu-1, gpu-2
    labels: {node-pool: h100, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3} # labels of these nodes alone
    taints:
    - {key: nvidia.com/gpu, value: present, effect: NoSchedule} # on 2 of 2 nodes
    allocatable: {cpu: "220", memory: 2000Gi} # the least of its nodes, no DaemonSet requests any
    # Left to you: nothing shows the resource or the networks of fabric infiniband; state them
    # under `network.fabrics`
  queues:
  - name: research # LocalQueue research, ClusterQueue research
    system: kueue
    namespaces: [nlp]
    parent: company
    quota: {nvidia.com/gpu: "16"}
    existing: true
  priorityClasses:
  - {name: urgent, value: 1000, appliesTo: pods, existing: true} # PriorityClass urgent
  # Left to you: `accessModes` of classes without; the API does not show them.
  storageClasses:
  - {name: fast, default: true} # provisioner csi.example.com
  csiDrivers:
  - {name: csi.example.com, volumeLifecycleModes: [Persistent]} # CSIDriver csi.example.com
  claims:
  - {name: data, namespace: nlp, accessModes: [ReadWriteMany]} # PersistentVolumeClaim, which several nodes can mount
  namespaces:
  - {name: nlp, podSecurity: baseline} # label pod-security.kubernetes.io/enforce; ResourceQuota q: requests.nvidia.com/gpu=16
)");
}

TEST_CASE("the order of answers does not change a byte") {
  Discoverer discoverer;
  discoverer.add("Node", plain_node("a-cpu", "", R"("pods":"10")"));
  discoverer.add(
      "LocalQueue.kueue.x-k8s.io",
      R"({"metadata":{"name":"research","namespace":"vision"},"spec":{"clusterQueue":"research"}})");
  const std::string before = discoverer.document();
  for (auto& [name, kind] : discoverer.survey.kinds) std::ranges::reverse(kind.items);
  CHECK(discoverer.document() == before);
  CHECK(has(before, "  # 1 node without GPUs"));
  CHECK(has(before, "namespaces: [nlp, vision]"));
}

TEST_CASE("nodes of clouds are of the machine that their label names") {
  Discoverer discoverer;
  const std::string gke =
      R"("node.kubernetes.io/instance-type":"a3-megagpu-8g","cloud.google.com/gke-accelerator":"nvidia-h100-mega-80gb","topology.kubernetes.io/zone":"us-east4-b","cloud.google.com/gke-nodepool":)";
  discoverer.replace_nodes(
      {plain_node("n1", gke + R"("mega-1")", R"("nvidia.com/gpu":"8")"),
       plain_node("n2", gke + R"("mega-2")", R"("nvidia.com/gpu":"8")"),
       plain_node(
           "n3",
           R"("node.kubernetes.io/instance-type":"p5.48xlarge","eks.amazonaws.com/nodegroup":"p5")",
           R"("nvidia.com/gpu":"8","vpc.amazonaws.com/efa":"32")")});
  const std::string text = discoverer.document();
  CHECK(has(text,
            "- name: mega-1 # label cloud.google.com/gke-nodepool\n    machine: a3-megagpu-8g #"));
  CHECK(has(text, "- name: mega-2 #"));
  CHECK(has(text, "zone: us-east4-b"));
  CHECK(has(text, "topology: []"));
  CHECK(has(text, "- name: p5 # label eks.amazonaws.com/nodegroup\n    machine: p5.48xlarge #"));
  check_round_trip(discoverer);
}

TEST_CASE("slices and shared GPUs are distinguished from whole ones") {
  Discoverer discoverer;
  const auto product = [](const std::string& name) {
    return R"("nvidia.com/gpu.product":")" + name + "\"";
  };
  discoverer.replace_nodes(
      {plain_node("mixed", product("NVIDIA-H200"),
                  R"("nvidia.com/gpu":"4","nvidia.com/mig-1g.18gb":"28")"),
       plain_node("single", product("NVIDIA-B200-MIG-1g.23gb"), R"("nvidia.com/gpu":"56")"),
       plain_node("shared",
                  product("NVIDIA-A100-SXM4-80GB-SHARED") + R"(,"nvidia.com/gpu.replicas":"4")",
                  R"("nvidia.com/gpu":"32")"),
       plain_node("renamed",
                  product("NVIDIA-H100-80GB-HBM3") +
                      R"(,"nvidia.com/gpu.replicas":"2","nvidia.com/gpu.sharing-strategy":"mps")",
                  R"("nvidia.com/gpu.shared":"16")")});
  const std::string text = discoverer.document();
  CHECK(has(text, "mig: {1g.18gb: 28}, migStrategy: mixed"));
  CHECK(has(text, "mig: {1g.23gb: 56}, migStrategy: single"));
  CHECK(has(text, "sharing: {mode: time-slicing, replicas: 4}"));
  CHECK(has(text, "sharing: {mode: mps, replicas: 2, renameByDefault: true}"));
  check_round_trip(discoverer);
}

TEST_CASE("devices of a fabric are a guess that says so") {
  Discoverer discoverer;
  const std::string h100 = R"("nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3")";
  discoverer.replace_nodes({plain_node("n1", h100, R"("nvidia.com/gpu":"8","rdma/ib":"8")")});
  CHECK(has(discoverer.document(),
            "      infiniband:\n        resource: rdma/ib # allocatable of the nodes\n        "
            "count: per-nic # guessed"));
  check_round_trip(discoverer);
  discoverer.replace_nodes({plain_node("n1", h100, R"("nvidia.com/gpu":"8","rdma/shared":"2")")});
  CHECK(has(discoverer.document(), "network: {resources: {rdma/shared: 2}} # guessed"));
  check_round_trip(discoverer);
}

TEST_CASE(
    "a machine that the catalogue lacks is a guess, and one that no label tells is left out") {
  Discoverer discoverer;
  discoverer.replace_nodes({plain_node(
      "l40", R"("nvidia.com/gpu.product":"NVIDIA-L40S","nvidia.com/gpu.memory":"46068")",
      R"("nvidia.com/gpu":"2")")});
  const std::string text = discoverer.document();
  CHECK(has(text, "# guessed: the catalogue has no machine with this GPU"));
  CHECK(has(text, "gpu: {product: NVIDIA-L40S, count: 2, memory: 46068Mi}"));
  CHECK(has(text, "network: {fabric: tcp} # guessed"));
  check_round_trip(discoverer);
  discoverer.replace_nodes({plain_node("bare", "", R"("nvidia.com/gpu":"8")")});
  CHECK(has(discoverer.document(), "# Left to you: no label shows the machine of `bare`."));
}

TEST_CASE("nodes that differ only in what is on a part of them are one pool") {
  Discoverer discoverer;
  SmallCluster::NodeText other;
  other.spec = R"("taints":[{"key":"team","value":"a","effect":"NoSchedule"}])";
  discoverer.add("Node", SmallCluster::node("gpu-3", other));
  CHECK(has(discoverer.document(), "count: 3 #"));
  CHECK(has(discoverer.document(), "- {key: team, value: a, effect: NoSchedule}"));
  check_round_trip(discoverer);
}

TEST_CASE("a group whose labels others have, too, states more of them") {
  Discoverer discoverer;
  const std::string h100 = R"("nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3")";
  discoverer.replace_nodes(
      {plain_node("n1", h100 + R"(,"nvidia.com/gpu.count":"8")", R"("nvidia.com/gpu":"8")"),
       plain_node("n2", h100 + R"(,"nvidia.com/gpu.count":"4","node-pool":"small")",
                  R"("nvidia.com/gpu":"4")")});
  CHECK(has(discoverer.document(), R"(labels: {nvidia.com/gpu.count: "8", )"));
  check_round_trip(discoverer);
}

TEST_CASE("an operator whose release nothing tells gets the newest, and a comment") {
  Discoverer discoverer;
  discoverer.clear("Deployment.apps");
  CHECK(has(discoverer.document(),
            "jobset: 0.12.0 # guessed: nothing shows its release; this is the newest known"));
  // Two projects have a kind of this name; their versions tell them apart.
  discoverer.survey.kinds["MPIJob.kubeflow.org/v2beta1"] = {true, false, {}};
  CHECK(has(discoverer.document(), "mpi-operator: 0.8."));
  check_round_trip(discoverer);
  discoverer.add("Deployment.apps",
                 SmallCluster::deployment("x", "jobset", "mirror.local/jobset@sha256:1",
                                          R"("app.kubernetes.io/version":"v0.11.1")"));
  CHECK(has(discoverer.document(), "jobset: 0.11.1 # label of Deployment x/jobset\n"));
}

TEST_CASE("queues of several systems keep their names apart") {
  Discoverer discoverer;
  discoverer.survey.kinds["Queue.scheduling.volcano.sh"] = {true, true, {}};
  discoverer.survey.kinds["Queue.scheduling.run.ai"] = {true, true, {}};
  discoverer.survey.kinds["SchedulingShard.kai.scheduler"] = {true, false, {}};
  discoverer.survey.kinds["Job.batch.volcano.sh"] = {true, false, {}};
  discoverer.add("Queue.scheduling.volcano.sh", R"({"metadata":{"name":"research"}})");
  discoverer.add("Queue.scheduling.run.ai",
                 R"({"metadata":{"name":"team"},"spec":{"parentQueue":"company"}})");
  const std::string text = discoverer.document();
  CHECK(has(text, "# queue research of volcano has the name of another queue"));
  CHECK(has(text, "{name: team, system: kai, parent: company, existing: true} # Queue team"));
  check_round_trip(discoverer);
}

TEST_CASE("texts of a cluster stay values, whatever they look like") {
  CHECK(yaml_text("plain") == "plain");
  CHECK(yaml_text("no") == "\"no\"");
  CHECK(yaml_text("1.36") == "\"1.36\"");
  CHECK(yaml_text("a, b]") == "\"a, b]\"");
  CHECK(yaml_text("x: y") == "\"x: y\"");
  CHECK(yaml_text("") == "\"\"");
  DocumentLines lines;
  lines.line(0, "a: b", "one\nspec: two");
  CHECK(lines.text() == "a: b  # one spec: two\n");
}

TEST_CASE("a Cluster is named after its context") {
  CHECK(name_for_cluster("arn:aws:eks:us-east-1:12:cluster/Train") ==
        "arn-aws-eks-us-east-1-12-cluster-train");
  CHECK(name_for_cluster("") == "cluster");
  CHECK(name_for_cluster("--") == "cluster");
}
