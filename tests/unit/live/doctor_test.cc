// What a cluster tells, held against its Cluster document: answers in, findings out.
#include <catch2/catch_test_macros.hpp>

#include "diag/render.h"
#include "driver/doctor/compare_operators.h"
#include "live/doctor/examination.h"
#include "unit/live/small_cluster.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

const std::string kDocument = R"(apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: lab}
spec:
  kubernetes: '1.36'
  operators: {kueue: 0.19.2, jobset: 0.12.0}
  defaults:
    namespace: nlp
    scheduling: {system: kueue, queue: research}
    imagePullSecrets: [{name: registry}]
    serviceAccount: trainer
  pools:
    - name: h100
      machine: dgx-h100
      count: 2
      labels: {node-pool: h100}
      taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
      topology: [{name: rack, nodeLabel: rack}]
      allocatable: {cpu: 200}
  queues: [{name: research, existing: true}]
  priorityClasses: [{name: urgent, value: 1000, existing: true, appliesTo: pods}]
  storageClasses: [{name: fast, default: true}]
  csiDrivers: [{name: csi.example.com}]
  claims: [{name: data, namespace: nlp, accessModes: [ReadWriteMany]}]
  namespaces: [{name: nlp, podSecurity: baseline, quota: {requests.nvidia.com/gpu: 16}}]
)";

struct Doctor : SmallCluster {
  std::string document = kDocument;
  std::vector<Presence> presence = {Presence::There};
  std::vector<Right> missing_rights;
  MemoryFileSystem files;
  Env env{files, nullptr};
  std::unique_ptr<Session> session;
  std::unique_ptr<ClusterDocument> read;
  Answers answers;
  Examination examination;

  void replace(const std::string& what, const std::string& by) {
    document.replace(document.find(what), what.size(), by);
  }
  /// The findings, as a person sees them.
  std::string findings() {
    files.files["lab.yaml"] = document;
    session = std::make_unique<Session>(env);
    read = read_cluster(*session, "lab.yaml");
    REQUIRE(read != nullptr);
    answers.survey = survey;
    answers.secrets = pull_secrets(read->cluster, read->tree);
    answers.presence = presence;
    answers.missing_rights = missing_rights;
    examine_cluster(*session, *read, answers, examination, session->sink);
    return render_text(session->sink.sorted(), session->sources, false);
  }
};

bool has(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos) return true;
  UNSCOPED_INFO(text);
  return false;
}

}  // namespace

TEST_CASE("a cluster that is as its document says has no findings") {
  Doctor doctor;
  CHECK(doctor.findings().empty());
}

TEST_CASE(
    "an operator that is missing, of another release or not listed is a finding at its line") {
  Doctor doctor;
  doctor.replace("kueue: 0.19.2, jobset: 0.12.0", "kueue: 0.18.0, trainer: 2.3.0");
  const std::string text = doctor.findings();
  CHECK(has(text,
            "lab.yaml:6:22: warning: operator `kueue` is 0.19.2, and the Cluster states 0.18.0 "
            "[cluster-differs]"));
  CHECK(has(text, "by Deployment kueue-system/kueue-controller-manager"));
  CHECK(has(text, "lab.yaml:6:30: error: operator `trainer` is not installed [cluster-differs]"));
  CHECK(has(text, "operator `jobset` 0.12.0 is installed and not listed, so it counts as absent"));
}

TEST_CASE("another release of Kubernetes is reported, another patch release is not") {
  Doctor doctor;
  doctor.survey.kubernetes = "v1.37.2-gke.100";
  CHECK(has(doctor.findings(),
            "lab.yaml:5:15: warning: the API server is Kubernetes 1.37.2, and the "
            "Cluster states 1.36 [cluster-differs]"));
  Doctor same;
  same.survey.kubernetes = "v1.36.9+k3s1";
  same.replace("'1.36'", "'1.36.1'");
  CHECK(same.findings().empty());
}

TEST_CASE("releases are compared as far as they are stated") {
  CHECK(is_release("1.34", "v1.34.2"));
  CHECK(is_release("v0.19.2", "0.19.2"));
  CHECK(is_release("25", "25.10.1"));
  CHECK(!is_release("1.3", "1.34.0"));
  CHECK(!is_release("0.19.2", "0.19"));
  CHECK(release_in("v1-855e096") == "");
  CHECK(release_in("v1.9.4-rc.0") == "1.9.4");
  CHECK(release_in("latest") == "");
}

TEST_CASE("a pool whose labels no node has says which label is wrong") {
  Doctor doctor;
  doctor.replace("labels: {node-pool: h100}", "labels: {node-pool: h200}");
  const std::string text = doctor.findings();
  CHECK(has(text, "lab.yaml:16:15: error: no node has the labels of pool `h100`"));
  CHECK(has(text, "0 nodes have `node-pool: h200`; on others it is `h100`"));
  CHECK(has(text, "2 nodes have `nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3`"));
  CHECK(has(text, "2 nodes with GPUs are in no pool [cluster-differs]"));
}

TEST_CASE("nodes that only come for a job are no error") {
  Doctor doctor;
  doctor.replace("count: 2", "capacity: spot");
  doctor.clear("Node");
  CHECK(has(doctor.findings(), "warning: no node has the labels of pool `h100`"));
}

TEST_CASE("more or fewer nodes than stated are reported at the count") {
  Doctor doctor;
  doctor.replace("count: 2", "count: 16");
  CHECK(
      has(doctor.findings(),
          "lab.yaml:15:14: warning: pool `h100` has 2 nodes, and `count` is 16 [cluster-differs]"));
}

TEST_CASE("a node that offers fewer devices than stated is reported with its name") {
  Doctor doctor;
  doctor.clear("Node");
  doctor.add("Node", SmallCluster::node("gpu-1"));
  SmallCluster::NodeText broken;
  broken.gpus = "7";
  doctor.add("Node", SmallCluster::node("gpu-2", broken));
  const std::string text = doctor.findings();
  CHECK(has(text,
            "lab.yaml:14:16: error: 1 of 2 nodes of pool `h100` offers less `nvidia.com/gpu` "
            "than 8 [cluster-differs]"));
  CHECK(has(text, "`gpu-2` offers 7"));
}

TEST_CASE(
    "CPU and memory of the pool are compared exactly, those of the catalogue by nine tenths") {
  Doctor doctor;
  doctor.replace("allocatable: {cpu: 200}", "allocatable: {cpu: 221}");
  const std::string text = doctor.findings();
  CHECK(has(text, "2 of 2 nodes of pool `h100` offer less `cpu` than 221"));
  CHECK(text.find("`memory`") == text.npos);

  Doctor smaller;
  smaller.replace("machine: dgx-h100", "machine: dgx-h100\n      gpu: {count: 8}");
  smaller.replace("allocatable: {cpu: 200}", "allocatable: {memory: 1800Gi}");
  CHECK(smaller.findings().empty());
  smaller.clear("Node");
  std::string node = SmallCluster::node("gpu-1");
  node.replace(node.find(R"("cpu":"220")"), 11, R"("cpu":"192")");
  smaller.add("Node", node);
  smaller.replace("count: 2\n", "count: 1\n");
  CHECK(has(smaller.findings(),
            "1 of 1 node of pool `h100` offers less `cpu` than nine tenths of the "
            "machine's 224"));
}

TEST_CASE("a taint that the pool does not state keeps jobs away, and is an error") {
  Doctor doctor;
  doctor.replace("taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]\n",
                 "taints: []\n");
  CHECK(has(doctor.findings(),
            "error: 2 of 2 nodes of pool `h100` have the taint "
            "`nvidia.com/gpu=present:NoSchedule`, which jobs on it do not "
            "tolerate [cluster-differs]"));
}

TEST_CASE("nodes that are lost or cordoned, and levels whose label is missing, are reported") {
  Doctor doctor;
  doctor.clear("Node");
  SmallCluster::NodeText lost;
  lost.ready = "Unknown";
  lost.spec += R"(,"unschedulable":false)";
  lost.spec =
      R"("taints":[{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"},{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}])";
  SmallCluster::NodeText cordoned;
  cordoned.spec += R"(,"unschedulable":true)";
  cordoned.labels = "";
  doctor.add("Node", SmallCluster::node("gpu-1", lost));
  doctor.add("Node", SmallCluster::node("gpu-2", cordoned));
  const std::string text = doctor.findings();
  CHECK(has(text, "1 of 2 nodes of pool `h100` is not ready"));
  CHECK(has(text, "1 of 2 nodes of pool `h100` is cordoned"));
  CHECK(has(text, "1 of 2 nodes of pool `h100` lacks the label `rack` of level `rack`"));
  CHECK(text.find("tolerate") == text.npos);
}

TEST_CASE("what jobs name and the cluster lacks is an error at the name") {
  Doctor doctor;
  for (const char* kind :
       {"LocalQueue.kueue.x-k8s.io", "PriorityClass.scheduling.k8s.io", "ServiceAccount",
        "StorageClass.storage.k8s.io", "PersistentVolumeClaim", "CSIDriver.storage.k8s.io"}) {
    doctor.clear(kind);
  }
  doctor.presence = {Presence::Missing};
  const std::string text = doctor.findings();
  CHECK(has(text, "lab.yaml:20:19: error: namespace `nlp` has no LocalQueue `research`"));
  CHECK(has(text, "error: the cluster has no PriorityClass `urgent`"));
  CHECK(has(text, "error: namespace `nlp` has no ServiceAccount `trainer`"));
  CHECK(has(text, "error: the cluster has no StorageClass `fast`"));
  CHECK(has(text, "error: namespace `nlp` has no PersistentVolumeClaim `data`"));
  CHECK(has(text, "error: the cluster has no CSIDriver `csi.example.com`"));
  CHECK(has(text, "lab.yaml:10:31: error: namespace `nlp` has no Secret `registry`"));
}

TEST_CASE("what `apply` of the document makes says so where it is missing") {
  Doctor doctor;
  doctor.replace("{name: research, existing: true}",
                 "{name: research, quota: {nvidia.com/gpu: 8}}");
  doctor.clear("ClusterQueue.kueue.x-k8s.io");
  CHECK(has(doctor.findings(), "`trainyard apply` of this document makes it"));
}

TEST_CASE("what is there in another way than stated is a finding") {
  Doctor doctor;
  doctor.replace("podSecurity: baseline", "podSecurity: privileged");
  doctor.replace("accessModes: [ReadWriteMany]", "accessModes: [ReadOnlyMany]");
  doctor.replace("value: 1000", "value: 900");
  doctor.replace("requests.nvidia.com/gpu: 16", "requests.nvidia.com/gpu: 32");
  doctor.replace("default: true", "default: false");
  const std::string text = doctor.findings();
  CHECK(
      has(text, "namespace `nlp` enforces level `baseline`, and the Cluster states `privileged`"));
  CHECK(has(text, "claim `data` has no access mode `ReadOnlyMany`"));
  CHECK(has(text, "priority class `urgent` has the value 1000, and the Cluster states 900"));
  CHECK(has(text,
            "namespace `nlp` may use 16 of `requests.nvidia.com/gpu`, and the Cluster states "
            "32 [cluster-differs]"));
  CHECK(has(text, "StorageClass `fast` is the default of the cluster"));
}

TEST_CASE("what may not be read is not compared") {
  Doctor doctor;
  for (const KindToSurvey& each : discovery_signs().kinds) {
    if (each.is_listed && doctor.survey.serves(name_of(each))) doctor.withhold(name_of(each));
  }
  doctor.presence = {Presence::Unknown};
  CHECK(doctor.findings().empty());
}

TEST_CASE("rights that are missing are a finding, with what grants them") {
  Doctor doctor;
  doctor.missing_rights = {{"create", "batch", "jobs", "nlp"}, {"get", "", "pods/log", "nlp"}};
  const std::string text = doctor.findings();
  CHECK(has(text, "lab.yaml:8:16: error: you lack 2 rights in namespace `nlp` [cluster-differs]"));
  CHECK(has(text, "`create jobs` and `get pods/log`"));
}

TEST_CASE("what runs is taken from what is free") {
  Doctor doctor;
  doctor.findings();
  const auto pools = capacities(doctor.examination.pools);
  REQUIRE(pools.size() == 1);
  CHECK(capacity_text(pools) ==
        "POOL  NODES  USABLE  IDLE  RESOURCE        HAS  FREE\n"
        "h100  2      2       1     nvidia.com/gpu  16   12\n");
  // One group of nodes for each amount of free devices, with the least of the rest.
  const auto& groups = doctor.examination.seen.nodes;
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].amount("nvidia.com/gpu")->text() == "4");
  CHECK(groups[0].amount("cpu")->text() == "212");
  CHECK(groups[1].amount("nvidia.com/gpu")->text() == "8");
  CHECK(doctor.examination.seen.used.queues.at("research").at("nvidia.com/gpu").text() == "4");
}

TEST_CASE("a pod requests what its containers do, or what an init container does beside sidecars") {
  const auto requests = [](const std::string& spec) {
    const JsonAnswer pod = JsonDocument::read(R"({"spec":)" + spec + "}");
    return requests_of(pod->root())["cpu"].text();
  };
  const std::string main =
      R"("containers":[{"resources":{"requests":{"cpu":"2"}}},{"resources":{"requests":{"cpu":"500m"}}}])";
  CHECK(requests("{" + main + "}") == "2500m");
  CHECK(requests("{" + main + R"(,"initContainers":[{"resources":{"requests":{"cpu":"8"}}}]})") ==
        "8");
  CHECK(
      requests(
          "{" + main +
          R"(,"initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}},{"resources":{"requests":{"cpu":"1"}}}]})") ==
      "3500m");
  CHECK(requests("{" + main + R"(,"overhead":{"cpu":"250m"}})") == "2750m");
}
