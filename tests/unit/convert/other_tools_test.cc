// The note that names the tool which made a manifest, and its page.
#include "convert/other_tools.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "folders.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

/// Pages that the notes on these files name, and `name` where a name is that of a launch.
std::string told(const std::vector<std::string>& files) {
  SourceMap sources;
  Sink sink;
  std::vector<std::vector<Tree>> trees;
  for (const std::string& each : files) {
    const FileId file = sources.add("file-" + std::to_string(trees.size()), each);
    trees.push_back(read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes));
  }
  std::vector<View> objects;
  for (const auto& file : trees) {
    for (const Tree& each : file) objects.emplace_back(each, each.root());
  }
  tell_other_tools(objects, sink);
  std::string pages;
  for (const Diagnostic& each : sink.sorted()) {
    CHECK(each.severity == Severity::Note);
    const std::size_t at = each.message.find("coming-from/") + 12;
    pages += (pages.empty() ? "" : " ") + each.message.substr(at, each.message.find(".md") - at);
    if (!each.notes.empty()) pages += " name";
  }
  return pages;
}

std::string labelled(const std::string& labels, const std::string& name = "a") {
  return "kind: Job\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n";
}

const std::string kApplied =
    "kind: Job\nmetadata: {name: a, annotations: "
    "{kubectl.kubernetes.io/last-applied-configuration: '{}'}}\n";
const std::string kTorchx = "app.kubernetes.io/managed-by: torchx.pytorch.org";

}  // namespace

TEST_CASE("a manifest of Trainyard, or of an unknown tool, gets no note") {
  CHECK(told({labelled("app: a")}) == "");
  CHECK(told({labelled("app.kubernetes.io/managed-by: Helm")}) == "");
  CHECK(told({labelled("tao-toolkit: 'false', parent: other")}) == "");
  CHECK(told({"kind: Job\nmetadata: {labels: {app.kubernetes.io/managed-by: trainyard}, "
              "annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}\n"}) == "");
}

TEST_CASE("each file gets one note, about the tool and not about kubectl") {
  CHECK(told({kApplied}) == "kubectl");
  CHECK(told({kApplied + "---\n" + labelled("xpk.google.com/workload: a")}) == "xpk");
  CHECK(told({labelled("tao-job: a") + "---\n" + labelled("tao-toolkit: 'true'")}) == "tao-sdk");
  CHECK(told({labelled(kTorchx), kApplied}) == "torchx kubectl");
}

TEST_CASE("a note says if random characters make the name that of one launch") {
  CHECK(told({labelled(kTorchx, "gpt-w9k2hq7xq3d1")}) == "torchx name");
  CHECK(told({labelled(kTorchx, "gpt-large")}) == "torchx");
  CHECK(told({labelled("tao-toolkit: 'true'", "tao-job-6d1f0c52-9a")}) == "tao-sdk name");
  CHECK(told({labelled("tao-toolkit: 'true'", "dino")}) == "tao-sdk");
  const std::string volume = "volumes: [{name: nemo-run-workdir}]\nkind: TrainJob\n";
  CHECK(told({volume + "metadata: {name: llama-0fa9c1}\n"}) == "nemo-run name");
  CHECK(told({volume + "metadata: {name: llama-0fa9c}\n"}) == "nemo-run");
  const std::string shell = "args: [\"\\nread -r -d '' SCRIPT << EOM\\n\"]\nkind: TrainJob\n";
  CHECK(told({shell + "metadata: {name: k3c0f51be92d}\n"}) == "kubeflow-sdk name");
  CHECK(told({shell + "metadata: {name: a}\n"}) == "kubeflow-sdk");
}

TEST_CASE("each page that a note names is there") {
  for (const std::string& each :
       {told({"volumes: [{name: nemo-run-workdir}]\n"}), told({labelled("tao-toolkit: 'true'")}),
        told({labelled("tao-job: a")}), told({labelled(kTorchx)}),
        told({labelled("xpk.google.com/workload: a")}), told({"kind: HyperPodPyTorchJob\n"}),
        told({labelled("parent: skypilot")}), told({"args: [\"read -r -d '' SCRIPT << EOM\"]\n"}),
        told({kApplied})}) {
    INFO(each);
    CHECK(std::filesystem::exists(testing::repository() / "docs/coming-from" / (each + ".md")));
  }
}
