#include <catch2/catch_test_macros.hpp>

#include "editor_client.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

using Lines = std::vector<std::string>;

std::string first(const EditorClient& client) {
  const Lines found = client.found();
  return found.empty() ? "" : found.front();
}

}  // namespace

TEST_CASE("a mistake is reported while it is typed, and gone when it is mended") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  nodes: 2\n");
  CHECK(client.found() == Lines{});
  client.type(7, 2, 7, "node");
  CHECK(first(client).find("7:2-7:6 unknown field `node`") == 0);
  client.type(7, 6, 6, "s");
  CHECK(client.found() == Lines{});
}

TEST_CASE("half-typed text is an error at its place, and the other documents are checked") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) +
                              "  env: {A: \n---\napiVersion: v1\nkind: Pod\n"
                              "metadata: {name: a}\nspec: {containerz: []}\n");
  const Lines found = client.found();
  CHECK(found.size() >= 2);
  CHECK(std::ranges::any_of(
      found, [](const std::string& each) { return each.find("containerz") != std::string::npos; }));
}

TEST_CASE("a fix of a finding is a quick fix of the editor") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  gpuPerNode: 8\n");
  const json range = {{"start", {{"line", 7}, {"character", 3}}},
                      {"end", {{"line", 7}, {"character", 3}}}};
  const json actions = client.ask("codeAction", {{"range", range}, {"context", json::object()}});
  REQUIRE(actions.size() == 1);
  CHECK(actions[0]["title"] == "write `gpusPerNode`");
  CHECK(actions[0]["kind"] == "quickfix");
  const json edit = actions[0]["edit"]["changes"][client.uri][0];
  CHECK(edit["newText"] == "gpusPerNode");
  CHECK(EditorClient::range_text(edit["range"]) == "7:2-7:12");
  const json refactor = {{"only", {"refactor"}}};
  CHECK(client.ask("codeAction", {{"range", range}, {"context", refactor}}).empty());
}

TEST_CASE("places that explain a finding come with it") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  image: registry.example/b:1.0\n");
  const json all = client.published[client.uri];
  REQUIRE(all.size() == 1);
  CHECK(all[0]["code"] == "duplicate-key");
  CHECK(all[0]["severity"] == 1);
  CHECK(all[0]["source"] == "trainyard");
  const json related = all[0]["relatedInformation"];
  REQUIRE(related.size() == 1);
  CHECK(related[0]["location"]["uri"] == client.uri);
  CHECK(EditorClient::range_text(related[0]["location"]["range"]) == "5:2-5:7");
}

TEST_CASE("a spec is checked against the Cluster of its folder, also while that is edited") {
  EditorClient client(
      Texts{{"work/.git/HEAD", ""}, {"work/cluster.yaml", kCluster}, {"work/jobs/other.yaml", ""}});
  client.open("jobs/job.yaml", std::string(kSpecHead) + "  pool: a3-mege\n");
  CHECK(first(client).find("`a3-mege`") != std::string::npos);
  const std::string spec = client.uri;
  std::string renamed = kCluster;
  renamed.replace(renamed.find("a3-mega\n"), 7, "a3-mege");
  client.open("cluster.yaml", renamed);
  CHECK(client.found(spec) == Lines{});
  // Closed without a save: the file counts again.
  client.notify("textDocument/didClose", {{"textDocument", {{"uri", client.uri}}}});
  CHECK_FALSE(client.found(spec).empty());
}

TEST_CASE("a config file is found as the commands find it") {
  EditorClient client(Texts{{"work/.git/HEAD", ""},
                            {"work/.trainyard.yaml", "cluster: clusters/gke.yaml\n"},
                            {"work/clusters/gke.yaml", kCluster}});
  client.open("job.yaml", std::string(kSpecHead) + "  pool: b\n");
  CHECK(first(client).find("`b`") != std::string::npos);
  client.open(".trainyard.yaml", "clusterz: clusters/gke.yaml\n");
  CHECK(first(client).find("0:0-0:8 unknown field `clusterz`") == 0);
}

TEST_CASE("what is wrong in another file is reported at the top, with its place") {
  EditorClient client(Texts{
      {"work/.git/HEAD", ""},
      {"work/cluster.yaml", "kind: Cluster\napiVersion: trainyard/v1alpha1\nspec: {poolz: []}\n"}});
  client.open("job.yaml", kSpecHead);
  CHECK(first(client).find("0:0-0:30 cluster.yaml: ") == 0);
  const json related = client.published[client.uri][0]["relatedInformation"];
  CHECK(related[0]["location"]["uri"] == "file:///work/cluster.yaml");
}

TEST_CASE("a file that changes on the disk is read again") {
  EditorClient client(Texts{{"work/.git/HEAD", ""}, {"work/base.yaml", ""}});
  const std::string layer =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec: {nodes: ";
  client.disk.files["work/base.yaml"] = layer + "2}\n";
  client.open("job.yaml", "extends: base.yaml\n" + std::string(kSpecHead));
  CHECK(client.found() == Lines{});
  client.disk.files["work/base.yaml"] = layer + "two}\n";
  const auto tell = [&](int type, const std::string& uri) {
    client.notify("workspace/didChangeWatchedFiles",
                  {{"changes", json::array({{{"uri", uri}, {"type", type}}})}});
  };
  tell(2, "file:///work/other.yaml");
  CHECK(client.found() == Lines{});
  tell(2, "file:///work/base.yaml");
  CHECK(client.found().size() == 1);
  client.disk.files["work/base.yaml"] = layer + "2}\n";
  tell(1, "file:///work/new.yaml");
  CHECK(client.found() == Lines{});
}

TEST_CASE("manifests of any kind are checked, and files of other programs are ignored") {
  EditorClient client;
  client.open("pod.yaml",
              "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containerz: []}\n");
  REQUIRE(client.found().size() == 2);
  CHECK(client.found()[1].find("3:7-3:17 unknown field `containerz`") == 0);
  client.open("docker-compose.yaml", "services:\n  web: {image: a}\n");
  CHECK(client.found() == Lines{});
}

TEST_CASE("secrets stay secret") {
  EditorClient client;
  client.open(
      "s.yaml",
      "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringDatas: {token: hunter2-xyz}\n");
  CHECK_FALSE(client.found().empty());
  for (const std::string& each : client.found()) CHECK(each.find("hunter2") == std::string::npos);
}

TEST_CASE("a text that has no file yet is checked, too") {
  EditorClient client;
  const std::string uri = "untitled:Untitled-1";
  client.notify(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", uri}, {"version", 1}, {"text", std::string(kSpecHead) + "  node: 2\n"}}}});
  CHECK(client.found(uri).size() == 1);
}

TEST_CASE("a spec of a fleet is checked for the Cluster and with the overlays that the Fleet has") {
  const std::string fleet =
      "apiVersion: trainyard/v1alpha1\nkind: Fleet\nmetadata: {name: f}\nspec:\n"
      "  clusters:\n"
      "    - {file: clusters/other.yaml, specs: [specs/other]}\n"
      "    - {file: clusters/gke.yaml, specs: [specs/gke]}\n"
      "  teams: [{name: a, namespaces: [a], specs: ['specs/*/a/**'], overlays: [team.yaml]}]\n";
  const std::string layer =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec: {pool: dgz}\n";
  EditorClient client(Texts{{"work/.git/HEAD", ""},
                            {"work/fleet.yaml", fleet},
                            {"work/team.yaml", layer},
                            {"work/clusters/gke.yaml", kCluster},
                            {"work/specs/gke/a/b.yaml", ""},
                            {"work/specs/gke/c/b.yaml", ""}});
  client.open("specs/gke/c/job.yaml", std::string(kSpecHead) + "  pool: a3-mege\n");
  CHECK(first(client) == "7:8-7:15 there is no pool `a3-mege`");
  client.open("specs/gke/a/job.yaml", kSpecHead);
  CHECK(first(client).find("`dgz`") != std::string::npos);
}
