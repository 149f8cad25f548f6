// Symbols, folds, layout, definitions, references, renames and lenses.
#include <catch2/catch_test_macros.hpp>

#include "driver/build/build.h"
#include "editor_client.h"

using namespace trainyard;
using namespace trainyard::testing;

namespace {

/// `uri start-end` of locations, without the folder, sorted.
std::vector<std::string> places(const json& locations) {
  std::vector<std::string> all;
  for (const json& each : locations) {
    const std::string uri = each["uri"];
    all.push_back(uri.substr(std::string("file:///work/").size()) + " " +
                  EditorClient::range_text(each["range"]));
  }
  std::ranges::sort(all);
  return all;
}

using Places = std::vector<std::string>;

constexpr const char* kRoles =
    "  roles:\n"
    "    learner: {nodes: 1, expose: {http: 8000}}\n"
    "    actor:\n"
    "      nodes: 2\n"
    "      after: {learner: ready}\n"
    "      env: {URL: \"http://$(roles.learner.http)\"}\n";

}  // namespace

TEST_CASE("symbols have the shape of the document") {
  EditorClient client;
  client.open("job.yaml", kSpecHead);
  const json all = client.ask("documentSymbol");
  REQUIRE(all.size() == 1);
  CHECK(all[0]["name"] == "TrainingJob llama");
  CHECK(all[0]["children"].size() == 4);
  CHECK(all[0]["children"][3]["name"] == "spec");
  CHECK(EditorClient::range_text(all[0]["children"][3]["range"]) == "3:0-6:25");
}

TEST_CASE("maps, lists, texts and comments fold") {
  EditorClient client;
  client.open("a.yaml", "# one\n# two\na:\n  b:\n    - 1\n    - 2\nc: >\n  x\n  y\n");
  std::vector<std::string> folds;
  const json all = client.ask("foldingRange");
  for (const json& each : all) {
    folds.push_back(each["startLine"].dump() + "-" + each["endLine"].dump() +
                    each.value("kind", ""));
  }
  std::ranges::sort(folds);
  CHECK(folds == std::vector<std::string>{"0-1comment", "0-8", "2-5", "3-5", "6-8"});
}

TEST_CASE("a document is laid out as by fmt, and a broken one is unchanged") {
  EditorClient client;
  client.open("a.yaml", "a:   1\nb: 2\n");
  const json edits = client.ask("formatting");
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["newText"] == "a: 1\n");
  CHECK(EditorClient::range_text(edits[0]["range"]) == "0:0-1:0");
  client.open("a.yaml", "a: 1\n");
  CHECK(client.ask("formatting").empty());
  client.open("a.yaml", "a: [1\n");
  const json refused =
      client.response("textDocument/formatting", {{"textDocument", {{"uri", client.uri}}}});
  CHECK(refused["error"]["code"] == -32803);
}

TEST_CASE("the definition of a name is in the Cluster, in a layer or in a file") {
  EditorClient client(
      Texts{{"work/.git/HEAD", ""},
            {"work/cluster.yaml", kCluster},
            {"work/base.yaml",
             "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec:\n  nodes: 4\n"}});
  client.open("job.yaml", std::string(kSpecHead) + "  pool: a3|-mega\n");
  CHECK(places(client.ask("definition")) == Places{"cluster.yaml 6:12-6:19"});
  client.open("job.yaml", std::string(kSpecHead) + "extends: ba|se.yaml\n");
  CHECK(places(client.ask("definition")) == Places{"base.yaml 0:0-0:0"});
  client.open("job.yaml", "extends: base.yaml\n" + std::string(kSpecHead) + "  no|des: 2\n");
  CHECK(places(client.ask("definition")) == Places{"base.yaml 3:2-3:7"});
  client.open("job.yaml", std::string(kSpecHead) + "extends: none|.yaml\n");
  CHECK(places(client.ask("definition")).empty());
}

TEST_CASE("a line that a build wrote leads to the line of the spec") {
  EditorClient client(Texts{{"work/.git/HEAD", ""}, {"work/job.yaml", kSpecHead}});
  Env env{client.disk, nullptr};
  Session session(env);
  BuildRequest request;
  request.inputs = {"/work/job.yaml"};
  request.output_directory = "/work/out";
  request.provenance = true;
  build(session, request);
  REQUIRE_FALSE(session.sink.has_errors());
  std::string text = client.disk.read("/work/out/llama.yaml", 1 << 20).text;
  REQUIRE(text.find("image: ") != std::string::npos);
  text.insert(text.find("image: ") + 8, "|");
  client.open("out/llama.yaml", text);
  CHECK(places(client.ask("definition")) == Places{"job.yaml 5:9-5:9"});
  const std::string help = client.ask("hover")["contents"]["value"];
  CHECK(help.find("- template templates/pod/pod.yaml:") != std::string::npos);
  CHECK(help.find("- spec /work/job.yaml:6") != std::string::npos);
}

TEST_CASE("a role is renamed in the job and its layers, and in no other job") {
  const std::string other = std::string(kSpecHead) + kRoles;
  const std::string layer =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJobLayer\nspec:\n  roles:\n    learner: "
      "{nodes: 3}\n";
  EditorClient client(
      Texts{{"work/.git/HEAD", ""}, {"work/other.yaml", other}, {"work/base.yaml", layer}});
  std::string text = "extends: base.yaml\n" + std::string(kSpecHead) + kRoles;
  text.insert(text.find("learner: ready") + 2, "|");
  client.open("job.yaml", text);
  CHECK(places(client.ask("definition")) == Places{"job.yaml 9:4-9:11"});
  CHECK(client.ask("prepareRename")["placeholder"] == "learner");
  const json changes = client.ask("rename", {{"newName", "trainer"}})["changes"];
  CHECK(changes.size() == 2);
  CHECK(changes["file:///work/base.yaml"].size() == 1);
  CHECK(changes[client.uri].size() == 3);
  const json refused =
      client.response("textDocument/rename",
                      {{"textDocument", {{"uri", client.uri}}},
                       {"position", {{"line", client.line}, {"character", client.character}}},
                       {"newName", "A B"}});
  CHECK(refused["error"]["code"] == -32803);
}

TEST_CASE("a job is renamed where a fleet names it, too") {
  const std::string fleet =
      "apiVersion: trainyard/v1alpha1\nkind: Fleet\nmetadata: {name: f}\nspec:\n  teams:\n"
      "    - name: a\n      chains:\n        - {name: c, steps: [data, llama]}\n";
  EditorClient client(Texts{{"work/.git/HEAD", ""}, {"work/fleet.yaml", fleet}});
  std::string text = kSpecHead;
  text.insert(text.find("llama"), "|");
  client.open("job.yaml", text);
  CHECK(places(client.ask("references")) == Places{"fleet.yaml 7:34-7:39", "job.yaml 2:17-2:22"});
  CHECK(places(client.ask("references", {{"context", {{"includeDeclaration", false}}}})) ==
        Places{"fleet.yaml 7:34-7:39"});
  CHECK(client.ask("rename", {{"newName", "llama3"}})["changes"].size() == 2);
}

TEST_CASE("only jobs and roles are renamed") {
  EditorClient client;
  client.open("job.yaml", std::string(kSpecHead) + "  pool: a|b\n");
  CHECK(client.ask("prepareRename") == nullptr);
}

TEST_CASE("the uses of a pool are found in all files") {
  EditorClient client(Texts{{"work/.git/HEAD", ""},
                            {"work/a/job.yaml", std::string(kSpecHead) + "  pool: a3-mega\n"}});
  std::string text = kCluster;
  text.insert(text.find("a3-mega"), "|");
  client.open("cluster.yaml", text);
  CHECK(places(client.ask("references")) ==
        Places{"a/job.yaml 7:8-7:15", "cluster.yaml 6:12-6:19"});
}

TEST_CASE("a lens says what a job is compiled to, and where it fits") {
  EditorClient client(Texts{{"work/.git/HEAD", ""}, {"work/cluster.yaml", kCluster}});
  const auto lens = [&](const std::string& more) {
    client.open("job.yaml", std::string(kSpecHead) + more);
    const json all = client.ask("codeLens");
    return all.empty() ? "" : all[0]["command"]["title"].get<std::string>();
  };
  CHECK(lens("  nodes: 4\n  pool: a3-mega\n  target: jobset\n") ==
        "compiles to 1 object, 32 GPUs, fits pool a3-mega");
  CHECK(lens("  node: 4\n").empty());
}
