// The parts of a fabric come back as its name where they are as a build writes them, and only
// there.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

constexpr const char* kCluster = R"(apiVersion: trainyard/v1alpha1
kind: Cluster
metadata: {name: research}
spec:
  kubernetes: '1.34'
  network:
    fabrics:
      gke-tcpxo: {networks: [vpc1, vpc2, vpc3, vpc4, vpc5, vpc6, vpc7, vpc8]}
)";

std::string spec(const std::string& fields) {
  return "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: train}\nspec:\n"
         "  image: registry.example.com/ml/train:1.4\n  run: {script: train.py}\n" +
         fields;
}

std::string manifest(const std::string& fields, const std::string& target,
                     const std::string& cluster) {
  std::map<std::string, std::string> files = {{"spec.yaml", spec(fields)}};
  if (!cluster.empty()) files["cluster.yaml"] = cluster;
  const Built built =
      build_files(files, {"spec.yaml"}, cluster.empty() ? "" : "cluster.yaml", target);
  REQUIRE(built.errors == 0);
  return built.text;
}

bool says(const Converted& converted, const std::string& text) {
  return converted.spec.find(text) != std::string::npos;
}

/// The only report with its notes.
std::string notes_of(const Converted& converted) {
  REQUIRE(converted.reports.size() == 1);
  std::string all = converted.reports[0].message;
  for (const std::string& each : converted.reports[0].notes) all += "\n" + each;
  return all;
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), by);
}

const std::string kMega = "  nodes: 2\n  machine: a3-megagpu-8g\n";
const std::string kEfa = "  nodes: 2\n  machine: p5.48xlarge\n";

}  // namespace

TEST_CASE("a fabric comes back by its name, with the machine whose labels the pods have") {
  const Converted made = convert_text(manifest(kMega, "pytorchjob", kCluster), kCluster);
  CHECK(made.reports.empty());
  CHECK(says(made, "\n  network:\n    fabric: gke-tcpxo\n"));
  CHECK(says(made, "\n  machine: a3-megagpu-8g\n"));
  CHECK_FALSE(says(made, "tcpxo-daemon"));
  CHECK_FALSE(says(made, "hostPath"));
  CHECK_FALSE(says(made, "nodeSelector"));
}

TEST_CASE("a fabric without names of a Cluster needs no Cluster") {
  const Converted made = convert_text(manifest(kEfa, "jobset", ""), "");
  CHECK(made.reports.empty());
  CHECK(says(made, "fabric: aws-efa"));
  CHECK_FALSE(says(made, "vpc.amazonaws.com/efa"));
}

TEST_CASE("without the Cluster that names its networks the parts stay, and a note says so") {
  const Converted made = convert_text(manifest(kMega, "job", kCluster), "");
  CHECK_FALSE(says(made, "fabric:"));
  CHECK(says(made, "tcpxo-daemon"));
  CHECK(made.reports.at(0).severity == Severity::Note);
  const std::string notes = notes_of(made);
  CHECK(notes.find("network.fabrics.gke-tcpxo.networks") != std::string::npos);
  CHECK(notes.find("--cluster") != std::string::npos);
}

TEST_CASE("another version of the daemon than the Cluster's stays, and the note names it") {
  const std::string other =
      replaced(manifest(kMega, "job", kCluster), "dev:v1.0.21", "dev:v1.0.20");
  const Converted made = convert_text(other, kCluster);
  CHECK_FALSE(says(made, "fabric:"));
  CHECK(says(made, "dev:v1.0.20"));
  CHECK(notes_of(made).find("the container `tcpxo-daemon` is another one") != std::string::npos);
}

TEST_CASE("a part that is not there is named, and nothing is added") {
  const std::string other =
      replaced(manifest(kEfa, "job", ""), "            add:\n            - IPC_LOCK\n", "");
  const Converted made = convert_text(other, "");
  CHECK_FALSE(says(made, "fabric:"));
  CHECK(says(made, "vpc.amazonaws.com/efa"));
  CHECK(notes_of(made).find("there is no capability `IPC_LOCK`") != std::string::npos);
}

TEST_CASE("a variable that a job may have otherwise stays one of the job's") {
  const Converted made =
      convert_text(replaced(manifest(kEfa, "job", ""), "SOCKET_IFNAME\n          value: eth0",
                            "SOCKET_IFNAME\n          value: eth1"),
                   "");
  CHECK(made.reports.empty());
  CHECK(says(made, "fabric: aws-efa"));
  CHECK(says(made, "NCCL_SOCKET_IFNAME: eth1"));
  CHECK_FALSE(says(made, "GLOO_SOCKET_IFNAME"));
}

TEST_CASE("devices in another number than the machine's stay with the fabric") {
  std::string text = manifest(kEfa, "job", "");
  for (int times = 0; times < 2; ++times) {
    text = replaced(text, "vpc.amazonaws.com/efa: \"32\"", "vpc.amazonaws.com/efa: \"16\"");
  }
  const Converted made = convert_text(text, "");
  CHECK(made.reports.empty());
  CHECK(says(made, "fabric: aws-efa"));
  CHECK(says(made, "vpc.amazonaws.com/efa: \"16\""));
}

TEST_CASE("a fabric that one of two roles lacks stays in parts, since a spec has one for all") {
  const std::string text = manifest(
      "  gpusPerNode: 8\n  machine: p5.48xlarge\n  roles: {master: {env: {A: b}}, worker: {nodes: "
      "2}}\n",
      "pytorchjob", "");
  const Converted same = convert_text(text, "");
  CHECK(says(same, "fabric: aws-efa"));
  const std::string add = "add:\n                - IPC_LOCK\n";
  const std::size_t last = text.rfind(add);
  REQUIRE(last != std::string::npos);
  REQUIRE(text.find(add) != last);
  std::string other = text;
  other.replace(last, add.size(), "add:\n                - SYS_PTRACE\n");
  const Converted made = convert_text(other, "");
  CHECK_FALSE(says(made, "fabric:"));
  CHECK(says(made, "vpc.amazonaws.com/efa"));
}

TEST_CASE("pods without GPUs, or with nothing of a fabric, get none") {
  const Converted made =
      convert_text(manifest("  nodes: 2\n  gpusPerNode: 8\n", "job", ""), kCluster);
  CHECK(made.reports.empty());
  CHECK_FALSE(says(made, "fabric:"));
}

TEST_CASE("each job of a stream becomes a spec of its own, with its fabric or without") {
  const std::string first = manifest(kEfa, "pytorchjob", "");
  const std::string second =
      replaced(manifest("  nodes: 3\n  gpusPerNode: 8\n", "job", ""), "train", "train");
  std::string renamed = second;
  for (std::size_t at = 0; (at = renamed.find("train", at)) != renamed.npos;) {
    const bool part_of_word =
        renamed.compare(at, 9, "trainyard") == 0 || renamed.compare(at, 8, "training") == 0 ||
        renamed.compare(at, 8, "train.py") == 0 || renamed.compare(at, 9, "train:1.4") == 0;
    if (!part_of_word) renamed.insert(at + 5, "-b");
    at += 5;
  }
  const Converted both = convert_text(first + renamed, "");
  CHECK(both.reports.empty());
  CHECK(both.spec == convert_text(first, "").spec + "---\n" + convert_text(renamed, "").spec);
  CHECK(says(both, "name: train-b\n"));
}
