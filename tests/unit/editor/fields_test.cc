// Completion and hover.
#include <catch2/catch_test_macros.hpp>

#include "editor_client.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

std::string hover_text(EditorClient& client) {
  const json found = client.ask("hover");
  return found.is_null() ? "" : found["contents"]["value"].get<std::string>();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("fields that are not there yet are offered in half-typed text") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  gpu|");
  auto labels = client.labels();
  CHECK(has(labels, "gpusPerNode"));
  CHECK(has(labels, "nodes"));
  CHECK_FALSE(has(labels, "image"));
  client.open("job.yaml", std::string(kSpecHead) + "  lifecycle:\n    |\n  nodes: 2\n");
  labels = client.labels();
  CHECK(has(labels, "retries"));
  CHECK_FALSE(has(labels, "gpusPerNode"));
  client.open("job.yaml", std::string(kSpecHead) + "  lifecycle: {retries: 3, |");
  labels = client.labels();
  CHECK(has(labels, "deadline"));
  CHECK_FALSE(has(labels, "retries"));
}

TEST_CASE("a completion replaces what is typed, and says what it is") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  gpusP|");
  const json list = client.ask("completion");
  for (const json& each : list["items"]) {
    if (each["label"] != "gpusPerNode") continue;
    CHECK(each["textEdit"]["newText"] == "gpusPerNode: ");
    CHECK(EditorClient::range_text(each["textEdit"]["range"]) == "7:2-7:7");
    CHECK(each["detail"] == "integer");
    CHECK(contains(each["documentation"]["value"], "GPUs of each pod"));
    return;
  }
  FAIL("gpusPerNode is not offered");
}

TEST_CASE("values of an enumeration are offered") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  framework: |\n");
  CHECK(has(client.labels(), "jax"));
  client.open("job.yaml", std::string(kSpecHead) + "  lifecycle: {suspend: t|}\n");
  CHECK(client.labels() == std::vector<std::string>{"true", "false"});
}

TEST_CASE("names that the Cluster knows are offered") {
  EditorClient client(Texts{{"work/.git/HEAD", ""}, {"work/cluster.yaml", kCluster}});
  const auto offered = [&](const std::string& text) {
    client.open("job.yaml", std::string(kSpecHead) + text);
    return client.labels();
  };
  CHECK(offered("  pool: |") == std::vector<std::string>{"a3-mega", "dgx"});
  CHECK(has(offered("  scheduling: {queue: |"), "research"));
  const auto machines = offered("  machine: |\n");
  CHECK(machines.front() == "a3-megagpu-8g");
  CHECK(has(machines, "p5.48xlarge"));
  CHECK(has(offered("  target: |"), "jobset"));
  CHECK(has(offered("  network:\n    fabric: |"), "auto"));
  CHECK(has(offered("  roles:\n    learner: {image: r/learner:2}\n    actor:\n      image: |\n"),
            "r/learner:2"));
  CHECK(has(offered("  roles:\n    learner: {nodes: 1}\n    actor:\n      after:\n        l|\n"),
            "learner"));
}

TEST_CASE("each list of names in the Cluster is offered where a spec names one of it") {
  EditorClient client(
      Texts{{"work/.git/HEAD", ""},
            {"work/cluster.yaml", std::string(kCluster) +
                                      "  namespaces: [{name: nlp}, {name: vision}]\n"
                                      "  claims: [{name: datasets, namespace: nlp}]\n"
                                      "  storageClasses: [{name: shared-nfs}]\n"
                                      "  priorityClasses: [{name: urgent, value: 100}]\n"
                                      "  runtimes: [{name: torch-distributed}]\n"}});
  const auto offered = [&](const std::string& text) {
    client.open("job.yaml", text);
    return client.labels();
  };
  using Words = std::vector<std::string>;
  const std::string head = kSpecHead;
  CHECK(offered(head + "  storage:\n    data: {mountPath: /data, claim: |}\n") ==
        Words{"datasets"});
  CHECK(offered(head + "  storage:\n    data:\n      create:\n        storageClassName: |\n") ==
        Words{"shared-nfs"});
  CHECK(offered(head + "  scheduling: {priority: u|}\n") == Words{"urgent"});
  CHECK(offered(head + "  runtime: t|\n") == Words{"torch-distributed"});
  CHECK(offered("apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata:\n  name: a\n"
                "  namespace: |\n") == (Words{"nlp", "vision"}));
}

TEST_CASE("names of the Cluster are offered in manifests, too") {
  EditorClient client(
      Texts{{"work/.git/HEAD", ""},
            {"work/cluster.yaml", std::string(kCluster) +
                                      "  namespaces: [{name: nlp}]\n"
                                      "  claims: [{name: datasets, namespace: nlp}]\n"
                                      "  storageClasses: [{name: shared-nfs}]\n"
                                      "  priorityClasses: [{name: urgent, value: 100}]\n"}});
  const auto offered = [&](const std::string& text) {
    client.open("manifest.yaml", text);
    return client.labels();
  };
  const std::string pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n";
  CHECK(has(offered("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: |}\n"), "nlp"));
  CHECK(has(offered(pod + "  priorityClassName: |\n"), "urgent"));
  CHECK(has(offered(pod + "  volumes:\n    - name: v\n      persistentVolumeClaim:\n"
                          "        claimName: |\n"),
            "datasets"));
  CHECK(has(offered("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec:\n"
                    "  storageClassName: |\n"),
            "shared-nfs"));
  CHECK(has(offered("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  labels:\n"
                    "    kueue.x-k8s.io/queue-name: |\n"),
            "research"));
}

TEST_CASE("images of all open documents are offered") {
  EditorClient client;
  client.open("other.yaml",
              "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n"
              "    - {name: a, image: registry.example/serve:2.1}\n");
  client.open("job.yaml", "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nspec:\n  image: |\n");
  CHECK(client.labels() == std::vector<std::string>{"registry.example/serve:2.1"});
}

TEST_CASE("kinds and versions of any manifest are offered, and its fields") {
  EditorClient client;
  client.open("a.yaml", "apiVersion: batch/v1\nkind: |\n");
  CHECK(client.labels() == std::vector<std::string>{"CronJob", "Job"});
  client.open("a.yaml", "apiVersion: |\n");
  CHECK(has(client.labels(), "trainyard/v1alpha1"));
  client.open("a.yaml", "api|");
  CHECK(has(client.labels(), "apiVersion"));
  client.open("a.yaml",
              "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: a\n      imageP|\n");
  CHECK(has(client.labels(), "imagePullPolicy"));
  CHECK_FALSE(has(client.labels(), "name"));
  client.open("a.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - |\n");
  CHECK(has(client.labels(), "image"));
}

TEST_CASE("nothing is offered in a comment or in unknown kinds") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  # gpu|");
  CHECK(client.labels().empty());
  client.open("job.yaml", "a:\n  b|");
  CHECK(client.labels().empty());
}

TEST_CASE("hover explains a field with its default") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  no|des: 2\n");
  std::string text = hover_text(client);
  CHECK(contains(text, "`spec.nodes`"));
  CHECK(contains(text, "How many pods take part"));
  CHECK(contains(text, "Default: `1`"));
  client.open("job.yaml", std::string(kSpecHead) + "  gpu: {sha|ring: mps}\n");
  text = hover_text(client);
  CHECK(contains(text, "One of: `exclusive`, `time-slicing` or `mps`"));
  client.open("job.yaml", std::string(kSpecHead) + "  # te|xt\n");
  CHECK(hover_text(client).empty());
}

TEST_CASE("hover says what a job gets for the fields that it leaves out") {
  EditorClient client;
  std::string text = std::string(kSpecHead) + "  nodes: 2\n  gpusPerNode: 8\n";
  text.insert(text.find("spec:") + 1, "|");
  client.open("job.yaml", text);
  CHECK(contains(hover_text(client), "- `spec.run.rendezvous.port`: `port: 29500`"));
  text += "  half";
  client.open("job.yaml", text);
  CHECK(contains(hover_text(client), "`spec`"));
}

TEST_CASE("hover explains names of the catalogue and of the Cluster") {
  EditorClient client(Texts{{"work/.git/HEAD", ""}, {"work/cluster.yaml", kCluster}});
  client.open("job.yaml", std::string(kSpecHead) + "  machine: a3-mega|gpu-8g\n");
  CHECK(contains(hover_text(client), "a3-megagpu-8g"));
  client.open("job.yaml", std::string(kSpecHead) + "  pool: a3|-mega\n");
  CHECK(contains(hover_text(client), "`a3-mega`: pool of the Cluster, a3-megagpu-8g, 16 nodes"));
}
