// When a fabric is used, what of it the job and the Cluster decide, and what is reported when it is
// not.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tree/yaml_reader.h"
#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

std::string job(const std::string& rest) {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: train}\nspec:\n"
         "  image: registry.example.com/ml/train:1.4\n  run: {script: train.py}\n" +
         rest;
}

std::string cluster(const std::string& rest) {
  return "apiVersion: trainyard/v1alpha1\nkind: Cluster\nmetadata: {name: c}\nspec:\n" + rest;
}

Built made(const std::string& spec, const std::string& of_cluster = "") {
  std::map<std::string, std::string> files = {{"job.yaml", job(spec)}};
  if (of_cluster.empty()) return build_files(files, {"job.yaml"});
  files["cluster.yaml"] = cluster(of_cluster);
  return build_files(files, {"job.yaml"}, "cluster.yaml");
}

bool has(const Built& built, std::string_view part) {
  return built.text.find(part) != std::string::npos;
}

std::size_t reports(const Built& built, DiagnosticKind kind, std::string_view part) {
  return static_cast<std::size_t>(
      std::count_if(built.reports.begin(), built.reports.end(), [&](const Diagnostic& each) {
        if (each.kind != kind) return false;
        bool found = each.message.find(part) != std::string::npos;
        for (const auto& note : each.notes) found = found || note.find(part) != std::string::npos;
        return found;
      }));
}

const std::string kMega = "  nodes: 2\n  machine: a3-megagpu-8g\n";
const std::string kVpcs = "[vpc1, vpc2, vpc3, vpc4, vpc5, vpc6, vpc7, vpc8]";

std::string tcpxo(const std::string& settings) {
  return "  network: {fabrics: {gke-tcpxo: {networks: " + kVpcs + settings + "}}}\n";
}

std::string infiniband(const std::string& settings) {
  return "  network: {fabrics: {infiniband: {" + settings + "}}}\n";
}

}  // namespace

TEST_CASE("the annotations of GKE are JSON and YAML, with one interface for each network") {
  const Built built = made(kMega, tcpxo(""));
  Sink sink;
  SourceMap sources;
  const auto documents = read_yaml(sources, sources.add("job.yaml", built.text), sink);
  REQUIRE(documents.size() == 2);
  const Tree& tree = documents[1];
  const View annotations = View(tree, tree.root())["spec"]["template"]["metadata"]["annotations"];
  const auto interfaces = nlohmann::json::parse(annotations["networking.gke.io/interfaces"].text());
  REQUIRE(interfaces.size() == 9);
  std::set<std::string> names;
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    CHECK(names.insert(interfaces[i]["interfaceName"]).second);
    CHECK(interfaces[i]["interfaceName"] == "eth" + std::to_string(i));
    CHECK(interfaces[i]["network"] == (i == 0 ? "default" : "vpc" + std::to_string(i)));
  }
  CHECK(annotations["networking.gke.io/default-interface"].text() == "eth0");
  const std::string devices(annotations["devices.gke.io/container.tcpxo-daemon"].text());
  const auto listed = read_yaml(sources, sources.add("devices.yaml", devices), sink);
  REQUIRE(listed.size() == 1);
  CHECK(listed[0][listed[0].root()].size == 11);
  for (NodeId device : listed[0].children(listed[0].root())) {
    CHECK(View(listed[0], device)["path"].text().starts_with("/dev/"));
  }
}

TEST_CASE("a lone node has no use for a fabric, unless the job names it") {
  CHECK_FALSE(has(made("  machine: p5.48xlarge\n"), "amazonaws"));
  CHECK(has(made("  machine: p5.48xlarge\n  network: {fabric: aws-efa}\n"), "amazonaws"));
}

TEST_CASE("pods without GPUs get nothing of a fabric, and no warning") {
  const Built built = made("  nodes: 2\n  machine: p5.48xlarge\n  gpusPerNode: 0\n");
  CHECK(built.errors == 0);
  CHECK(built.reports.empty());
  CHECK_FALSE(has(built, "amazonaws"));
  CHECK_FALSE(has(built, "IPC_LOCK"));
}

TEST_CASE("a job that accepts TCP gets nothing of a fabric, and no warning") {
  const Built built = made("  nodes: 2\n  machine: p5.48xlarge\n  network: {fabric: none}\n");
  CHECK(built.reports.empty());
  CHECK_FALSE(has(built, "amazonaws"));
}

TEST_CASE("a fabric for whole nodes is not for pods with a part of one") {
  const Built part = made(kMega + "  gpusPerNode: 7\n", tcpxo(""));
  CHECK(reports(part, DiagnosticKind::FabricNotUsed, "each takes 7 GPUs, a node has 8") == 1);
  CHECK_FALSE(has(part, "tcpxo"));
  const Built whole =
      made(kMega + "  gpusPerNode: 8\n  security: {level: privileged}\n", tcpxo(""));
  CHECK(whole.reports.empty());
  CHECK(has(whole, "tcpxo-daemon"));
}

TEST_CASE("slices of GPUs use no fabric") {
  const Built built = made("  nodes: 2\n  machine: p5.48xlarge\n  gpu: {mig: 1g.10gb}\n",
                           "  gpu: {migStrategy: mixed}\n");
  CHECK(reports(built, DiagnosticKind::FabricNotUsed, "slices of GPUs") == 1);
  CHECK_FALSE(has(built, "amazonaws"));
}

TEST_CASE("devices are asked for in the share of the GPUs that a pod takes") {
  const std::string efa = "  nodes: 2\n  machine: p5.48xlarge\n";
  CHECK(has(made(efa), "vpc.amazonaws.com/efa: \"32\""));
  CHECK(has(made(efa + "  gpusPerNode: 4\n"), "vpc.amazonaws.com/efa: \"16\""));
  CHECK(has(made(efa + "  gpusPerNode: 1\n"), "vpc.amazonaws.com/efa: \"4\""));
  CHECK(has(made("  nodes: 2\n  machine: p6-b200.48xlarge\n  gpusPerNode: 1\n"),
            "vpc.amazonaws.com/efa: \"1\""));
}

TEST_CASE("devices that the job itself asks for count") {
  const Built built = made(
      "  nodes: 2\n  machine: p5.48xlarge\n"
      "  resources: {extended: {vpc.amazonaws.com/efa: 8}}\n");
  CHECK(built.errors == 0);
  CHECK(has(built, "vpc.amazonaws.com/efa: \"8\""));
  CHECK_FALSE(has(built, "vpc.amazonaws.com/efa: \"32\""));
}

TEST_CASE("a pool says which fabric and devices its nodes have") {
  const std::string pools =
      "  pools:\n"
      "  - {name: own, machine: dgx-h100, network: {resources: {rdma/own: 8}}}\n"
      "  - {name: bare, machine: dgx-h100, network: {fabric: none}}\n";
  CHECK(has(made("  nodes: 2\n  pool: own\n", pools), "rdma/own: \"8\""));
  const Built bare = made("  nodes: 2\n  pool: bare\n", pools);
  CHECK(reports(bare, DiagnosticKind::FabricNotUsed, "") == 0);
  CHECK_FALSE(has(bare, "rdma/"));
}

TEST_CASE("what the number of a resource means is the Cluster's to say") {
  const std::string dgx = "  nodes: 2\n  machine: dgx-h100\n";
  CHECK(has(made(dgx, infiniband("resource: rdma/a, count: flag")), "rdma/a: \"1\""));
  CHECK(has(made(dgx, infiniband("resource: rdma/a, count: per-nic")), "rdma/a: \"8\""));
  CHECK(has(made(dgx + "  gpusPerNode: 2\n", infiniband("resource: rdma/a, count: per-gpu")),
            "rdma/a: \"2\""));
  const Built silent = made(dgx, infiniband("resource: rdma/a"));
  CHECK(reports(silent, DiagnosticKind::FabricNotUsed,
                "the Cluster does not say how many of `rdma/a`") == 1);
  const Built unknown = made(dgx, infiniband("count: flag"));
  CHECK(reports(unknown, DiagnosticKind::FabricNotUsed, "state the resource for its devices") == 1);
}

TEST_CASE("pods need as many networks of Multus as they have devices") {
  const std::string dgx = "  nodes: 2\n  machine: dgx-h100\n";
  const std::string start = "resource: rdma/a, count: per-nic, networks: ";
  const Built few = made(dgx, infiniband(start + "[a, b, c]"));
  CHECK(reports(few, DiagnosticKind::FabricConstraint, "needs as many networks, 3 are named") == 1);
  const Built enough = made(dgx, infiniband(start + "[a, b, c, d, e, f, g, h]"));
  CHECK(enough.errors == 0);
  CHECK(has(enough, "k8s.v1.cni.cncf.io/networks: a,b,c,d,e,f,g,h"));
  const Built flag = made(dgx, infiniband("resource: rdma/a, count: flag, networks: [a, b]"));
  CHECK(flag.errors == 0);
  CHECK(has(flag, "k8s.v1.cni.cncf.io/networks: a,b"));
}

TEST_CASE("what tunes a fabric may be set otherwise, what it needs may not") {
  const std::string spec = "  nodes: 2\n  machine: a3-highgpu-8g\n";
  const std::string high = "  network: {fabrics: {gke-tcpx: {networks: [a, b, c, d]}}}\n";
  const Built tuned = made(spec + "  env: {NCCL_ALGO: Ring}\n", high);
  CHECK(tuned.errors == 0);
  CHECK(has(tuned, "value: Ring\n"));
  CHECK_FALSE(has(tuned, "Ring,Tree"));
  const Built wrong = made(spec + "  env: {NCCL_GPUDIRECTTCPX_CTRL_DEV: eth1}\n", high);
  CHECK(reports(wrong, DiagnosticKind::ConflictingVariable, "NCCL_GPUDIRECTTCPX_CTRL_DEV") == 1);
}

TEST_CASE("variables of the Cluster go before those of the fabric, those of the job before both") {
  const std::string settings = infiniband(
      "resource: rdma/a, count: flag, env: {NCCL_SOCKET_IFNAME: net1, NCCL_IB_HCA: mlx5}");
  const std::string dgx = "  nodes: 2\n  machine: dgx-h100\n";
  const Built cluster_wins = made(dgx, settings);
  CHECK(has(cluster_wins, "name: NCCL_SOCKET_IFNAME\n          value: net1\n"));
  CHECK(has(cluster_wins, "name: GLOO_SOCKET_IFNAME\n          value: eth0\n"));
  const Built job_wins = made(dgx + "  env: {NCCL_IB_HCA: mlx5_1}\n", settings);
  CHECK(has(job_wins, "name: NCCL_IB_HCA\n          value: mlx5_1\n"));
}

TEST_CASE("a library path of the job's own must lead to the fabric's libraries") {
  const Built good =
      made(kMega + "  env: {LD_LIBRARY_PATH: '/opt/a:/usr/local/nvidia/lib64'}\n", tcpxo(""));
  CHECK(good.errors == 0);
  CHECK(has(good, "value: /opt/a:/usr/local/nvidia/lib64"));
  const Built wrong =
      made(kMega + "  env: {LD_LIBRARY_PATH: /usr/local/nvidia/lib64x}\n", tcpxo(""));
  CHECK(reports(wrong, DiagnosticKind::FabricConstraint, "lacks `/usr/local/nvidia/lib64`") == 1);
}

TEST_CASE("a version that is not known is an error, even where the fabric was not asked for") {
  const Built wrong = made(kMega, tcpxo(", version: v1.0.16"));
  CHECK(reports(wrong, DiagnosticKind::FabricConstraint, "version `v1.0.16` is not known") == 1);
  CHECK(has(made(kMega, tcpxo(", version: v1.0.9-1")), "tcpgpudmarxd-dev:v1.0.15"));
}

TEST_CASE("the daemon is a native sidecar where the Kubernetes knows them") {
  const Built old = made(kMega, "  kubernetes: '1.28'\n" + tcpxo(""));
  CHECK(reports(old, DiagnosticKind::FabricConstraint, "1.29 or later") == 1);
  CHECK(made(kMega, "  kubernetes: '1.29'\n" + tcpxo("")).errors == 0);
  const Built plain = made(kMega, "  kubernetes: '1.28'\n" + tcpxo(", sidecar: container"));
  CHECK(plain.errors == 0);
  CHECK_FALSE(has(plain, "initContainers"));
}

TEST_CASE("devices by claims want a Kubernetes that has their API") {
  const std::string spec = "  nodes: 2\n  machine: a3-ultragpu-8g\n";
  const std::string claims = "  network: {fabrics: {gke-rdma: {claims: true}}}\n";
  const Built old = made(spec, "  kubernetes: '1.33'\n" + claims);
  CHECK(reports(old, DiagnosticKind::FabricConstraint, "1.34.1-gke.1829001 or later") == 1);
  CHECK(has(made(spec, "  kubernetes: '1.34'\n" + claims), "resourceClaims:"));
}

TEST_CASE("pods on the network of their node have no interfaces of their own") {
  const Built built = made(kMega + "  network: {hostNetwork: true}\n", tcpxo(""));
  CHECK(built.errors == 0);
  CHECK_FALSE(has(built, "networking.gke.io"));
  CHECK(has(built, "hostNetwork: true"));
  CHECK(has(built, "privileged: true"));
}

TEST_CASE("settings of the node need a program to go before") {
  std::string spec = job(kMega);
  spec.replace(spec.find("  run: {script: train.py}\n"), 26, "");
  const Built built = build_files({{"job.yaml", spec}, {"cluster.yaml", cluster(tcpxo(""))}},
                                  {"job.yaml"}, "cluster.yaml");
  CHECK(reports(built, DiagnosticKind::NoProgram, "gke-tcpxo") == 1);
}

TEST_CASE("a fabric is refused on machines that do not have it") {
  const Built built =
      made("  nodes: 2\n  machine: p5.48xlarge\n  network: {fabric: gke-tcpxo}\n", tcpxo(""));
  CHECK(reports(built, DiagnosticKind::FabricConstraint, "not on `p5.48xlarge`") == 1);
}

TEST_CASE("machines with NVLink between nodes have the fabric beneath as well") {
  const std::string spec = "  nodes: 2\n  machine: p6e-gb200.36xlarge\n";
  const Built built = made(spec);
  CHECK(built.errors == 0);
  CHECK(has(built, "kind: ComputeDomain"));
  CHECK(has(built, "resourceClaimTemplateName: train-imex"));
  CHECK(has(built, "vpc.amazonaws.com/efa: \"4\""));
  // The node sets up IMEX there.
  const Built coreweave = made("  nodes: 2\n  machine: gb200-4x\n");
  CHECK_FALSE(has(coreweave, "ComputeDomain"));
  CHECK(has(coreweave, "NVIDIA_IMEX_CHANNELS"));
  CHECK(has(coreweave, "rdma/ib: \"1\""));
}

TEST_CASE("programs that mpirun starts source the settings of the node, and sshd does not") {
  const std::string spec = "  nodes: 2\n  machine: a3-megagpu-8g\n  target: mpijob\n";
  const Built built = made(spec, tcpxo(""));
  CHECK(built.errors == 0);
  const std::size_t once =
      built.text.find("\n              . /usr/local/nvidia/lib64/nccl-env-profile.sh\n");
  REQUIRE(once != std::string::npos);
  CHECK(once > built.text.find("- mpirun\n"));
  CHECK(once < built.text.find("    Worker:\n"));
  CHECK(built.text.find("nccl-env-profile.sh\n", once + 60) == std::string::npos);
  CHECK(has(built, "- /usr/sbin/sshd\n"));
}

TEST_CASE("an mpirun of the job's own is to start the settings of the node itself") {
  const auto own = [](const std::string& words) {
    std::string spec =
        job("  nodes: 2\n  machine: a3-megagpu-8g\n  target: mpijob\n  framework: mpi\n");
    const std::string run = "{script: train.py}";
    spec.replace(spec.find(run), run.size(), "{command: [" + words + "]}");
    return build_files({{"job.yaml", spec}, {"cluster.yaml", cluster(tcpxo(""))}}, {"job.yaml"},
                       "cluster.yaml");
  };
  CHECK(reports(own("mpirun, all_reduce_perf"), DiagnosticKind::FabricConstraint,
                "this mpirun does not start it") == 1);
  CHECK(
      own("mpirun, bash, -c, '. /usr/local/nvidia/lib64/nccl-env-profile.sh; exec perf'").errors ==
      0);
}

TEST_CASE(
    "what Ray starts has the settings of the node, of workers and not of a head without GPUs") {
  const Built built = made("  nodes: 2\n  machine: a3-megagpu-8g\n  target: rayjob\n", tcpxo(""));
  CHECK(built.errors == 0);
  const std::size_t workers = built.text.find("workerGroupSpecs:");
  const std::size_t settings = built.text.find(". /usr/local/nvidia/lib64/nccl-env-profile.sh\n");
  REQUIRE(settings != std::string::npos);
  CHECK(settings > workers);
  CHECK(has(built, "entrypoint: python3 train.py\n"));
}

TEST_CASE("a workload without a pod template does not lose claims or daemons of a fabric") {
  const std::string pool = "  pools: [{name: g, machine: ";
  const std::string labels = ", labels: {runai/node-pool: g}}]\n";
  const Built nvlink = made("  nodes: 2\n  pool: g\n  target: runai-distributed\n",
                            pool + "p6e-gb200.36xlarge" + labels);
  CHECK(reports(nvlink, DiagnosticKind::NotExpressible, "claims of pods for devices") == 1);
  const Built daemon = made("  nodes: 2\n  pool: g\n  target: runai-distributed\n",
                            pool + "a3-megagpu-8g" + labels + tcpxo(", sidecar: container"));
  CHECK(reports(daemon, DiagnosticKind::NotExpressible, "containers beside") == 1);
}

TEST_CASE(
    "pods without GPUs tolerate what their cloud does to nodes with GPUs, the others are let in") {
  const std::string taint = "- key: nvidia.com/gpu\n";
  const auto times = [&](const std::string& target) {
    const std::string text = made(kMega + "  target: " + target + "\n", tcpxo("")).text;
    std::size_t count = 0;
    for (std::size_t at = text.find(taint); at != text.npos; at = text.find(taint, at + 1)) ++count;
    return count;
  };
  CHECK(times("jobset") == 0);
  CHECK(times("mpijob") == 1);
  CHECK(times("rayjob") == 1);
  CHECK(has(made("  nodes: 2\n  machine: a3-megagpu-8g\n  gpusPerNode: 0\n"), taint));
}

TEST_CASE("a job that fits one NVLink domain is reported when nothing keeps it in one") {
  const auto told = [&](const std::string& spec, int count) {
    const Built built =
        made("  pool: g\n" + spec, "  pools: [{name: g, machine: p6e-gb200.36xlarge, count: " +
                                       std::to_string(count) + "}]\n");
    CHECK(built.errors == 0);
    return reports(built, DiagnosticKind::FabricNotUsed, "NVLink within 18 nodes");
  };
  CHECK(told("  nodes: 2\n", 19) == 1);
  CHECK(told("  nodes: 18\n", 36) == 1);
  CHECK(told("  nodes: 2\n", 18) == 0);
  CHECK(told("  nodes: 19\n", 36) == 0);
  CHECK(told("  nodes: 2\n  placement: {topology: {level: nvidia.com/gpu.clique}}\n", 36) == 0);
  CHECK(told("  nodes: 2\n  placement: {nodeSelector: {rack: a}}\n", 36) == 0);
  CHECK(told("  nodes: 1\n", 36) == 0);
}

TEST_CASE("InfiniBand of CoreWeave goes by its own device names and needs no capability") {
  const Built built = made("  nodes: 2\n  machine: gd-8xh100ib-i128\n");
  CHECK(built.reports.empty());
  CHECK(has(built, "name: NCCL_IB_HCA\n          value: ibp\n"));
  CHECK(has(built, "rdma/ib: \"1\""));
  CHECK_FALSE(has(built, "IPC_LOCK"));
}

TEST_CASE("without a machine a fabric is what all machines have of it, not what one cloud has") {
  const std::string nodes = "  nodes: 2\n  gpusPerNode: 8\n";
  const Built roce = made(nodes + "  network: {fabric: roce}\n",
                          "  network: {fabrics: {roce: {resource: rdma/eth, count: flag}}}\n");
  CHECK(roce.errors == 0);
  CHECK(has(roce, "rdma/eth: \"1\""));
  CHECK_FALSE(has(roce, "NCCL_IB_"));
  CHECK_FALSE(has(roce, "/dev/infiniband"));
  const Built ib = made(nodes + "  network: {fabric: infiniband}\n",
                        infiniband("resource: rdma/own, count: flag"));
  CHECK(ib.errors == 0);
  CHECK_FALSE(has(ib, "NCCL_IB_HCA"));
  CHECK(has(ib, "IPC_LOCK"));
  const Built nvlink = made("  nodes: 2\n  gpusPerNode: 4\n  network: {fabric: nvl72}\n");
  CHECK(has(nvlink, "kind: ComputeDomain"));
  CHECK_FALSE(has(nvlink, "NVIDIA_IMEX_CHANNELS"));
}

TEST_CASE("a build of Kubernetes that is too old for a fabric is an error that names the oldest") {
  const std::string mega = "  pools: [{name: mega, machine: a3-megagpu-8g}]\n" + tcpxo("");
  const auto with = [&](const std::string& version) {
    return made("  nodes: 2\n  pool: mega\n  security: {level: privileged}\n",
                "  kubernetes: '" + version + "'\n" + mega);
  };
  CHECK(reports(with("1.30.4-gke.1128999"), DiagnosticKind::FabricConstraint,
                "needs Kubernetes 1.30.4-gke.1129000 or later") == 1);
  CHECK(reports(with("1.29.3"), DiagnosticKind::FabricConstraint,
                "needs Kubernetes 1.29.4-gke.1542000 or later") == 1);
  for (const char* enough : {"1.30.4-gke.1129000", "1.30", "1.31.1", "1.30.4"}) {
    INFO(enough);
    const Built built = with(enough);
    CHECK(built.reports.empty());
    CHECK(has(built, "tcpxo-daemon"));
  }
}

TEST_CASE(
    "claims for network devices of GKE need their build, channels of NVLink Kubernetes 1.32") {
  const std::string ultra =
      "  pools: [{name: ultra, machine: a3-ultragpu-8g}]\n"
      "  network: {fabrics: {gke-rdma: {claims: true}}}\n";
  CHECK(reports(made("  nodes: 2\n  pool: ultra\n", "  kubernetes: '1.33'\n" + ultra),
                DiagnosticKind::FabricConstraint, "1.34.1-gke.1829001 or later") == 1);
  CHECK(made("  nodes: 2\n  pool: ultra\n", "  kubernetes: '1.34'\n" + ultra).errors == 0);
  const std::string rack =
      "  pools: [{name: rack, machine: gb200-nvl72, count: 18}]\n"
      "  network: {fabrics: {infiniband: {resource: rdma/ib, count: per-nic}}}\n";
  const Built channel = made("  nodes: 2\n  pool: rack\n", "  kubernetes: '1.33'\n" + rack);
  CHECK(channel.errors == 0);
  CHECK(has(channel, "kind: ComputeDomain"));
  CHECK(reports(made("  nodes: 2\n  pool: rack\n", "  kubernetes: '1.31'\n" + rack),
                DiagnosticKind::FabricConstraint, "need Kubernetes 1.32 or later") == 1);
}

TEST_CASE("huge pages of a fabric ask the job for the memory that has to stand beside them") {
  const std::string efa =
      "  pools: [{name: p5, machine: p5.48xlarge}]\n"
      "  network: {fabrics: {aws-efa: {hugePages: 5120Mi}}}\n";
  const std::string part = "  nodes: 2\n  pool: p5\n  gpusPerNode: 4\n";
  const Built without = made(part, efa);
  CHECK(without.errors == 1);
  CHECK(reports(without, DiagnosticKind::FabricConstraint, "`resources.memory`") == 1);
  const Built with = made(part + "  resources: {memory: 900Gi}\n", efa);
  CHECK(with.errors == 0);
  CHECK(has(with, "hugepages-2Mi: 5Gi"));
  CHECK(has(made("  nodes: 2\n  pool: p5\n", efa), "hugepages-2Mi: 5Gi"));
}
