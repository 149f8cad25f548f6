#include "editor/language_server.h"

#include <catch2/catch_test_macros.hpp>

#include "editor_client.h"

using namespace trainyard;
using namespace trainyard::testing;

TEST_CASE("what is no request gets an error, and the server goes on") {
  EditorClient client;
  client.server.take("{");
  client.server.work();
  CHECK(client.answers["null"]["error"]["code"] == -32700);
  CHECK(client.response("textDocument/unheardOf", nullptr)["error"]["code"] == -32601);
  for (const json& odd : {json(1), json::array(), json::object(), json{{"method", 1}},
                          json{{"method", "textDocument/didOpen"}, {"params", {1, 2}}},
                          json{{"method", "textDocument/didChange"},
                               {"params", {{"contentChanges", {{{"range", 1}, {"text", 2}}}}}}}}) {
    client.send(odd);
    client.server.work();
  }
  client.send({{"id", "no-method"}});
  client.server.work();
  CHECK(client.answers["no-method"]["error"]["code"] == -32600);
  CHECK(client.response("textDocument/hover", {{"textDocument", 3}})["result"] == nullptr);
  client.open("a.yaml", "a: 1\n");
  CHECK(client.published.contains("file:///work/a.yaml"));
}

TEST_CASE("nothing is answered before initialize and after shutdown") {
  std::vector<json> sent;
  MemoryFileSystem disk;
  LanguageServer server(
      {disk, nullptr, [&](const std::string& body) { sent.push_back(json::parse(body)); }, [] {}});
  server.take(R"({"id": 1, "method": "textDocument/hover", "params": {}})");
  server.work();
  CHECK(sent.back()["error"]["code"] == -32002);
  server.take(R"({"id": 2, "method": "initialize", "params": {}})");
  server.take(R"({"id": 3, "method": "initialize", "params": {}})");
  server.work();
  CHECK(sent.back()["error"]["code"] == -32600);
  server.take(R"({"id": 4, "method": "shutdown"})");
  server.take(R"({"id": 5, "method": "textDocument/hover", "params": {}})");
  server.work();
  CHECK(sent.back()["error"]["code"] == -32600);
  CHECK_FALSE(server.ended());
  server.take(R"({"method": "exit"})");
  server.work();
  CHECK(server.ended() == ExitCode::Good);
}

TEST_CASE("exit without shutdown is a failure") {
  EditorClient client;
  client.notify("exit", nullptr);
  CHECK(client.server.ended() == ExitCode::InputWrong);
}

TEST_CASE("a request that waits can be cancelled, and so can one that runs") {
  EditorClient client(Texts{{"work/b.yaml", kSpecHead}});
  client.open("a.yaml", kSpecHead);
  client.send({{"id", 71}, {"method", "textDocument/hover"}, {"params", json::object()}});
  client.send({{"method", "$/cancelRequest"}, {"params", {{"id", 71}}}});
  client.server.work();
  CHECK(client.answers["71"]["error"]["code"] == -32800);

  client.meanwhile = [&] {
    client.send({{"method", "$/cancelRequest"}, {"params", {{"id", 72}}}});
  };
  client.send({{"id", 72},
               {"method", "textDocument/references"},
               {"params",
                {{"textDocument", {{"uri", client.uri}}},
                 {"position", {{"line", 2}, {"character", 18}}}}}});
  client.server.work();
  CHECK(client.answers["72"]["error"]["code"] == -32800);
}

TEST_CASE("the client and the server agree on a unit of positions") {
  const auto chosen = [](const json& offered) {
    EditorClient client(Texts{},
                        {{"capabilities", {{"general", {{"positionEncodings", offered}}}}}});
    return client.initialized["capabilities"]["positionEncoding"];
  };
  CHECK(chosen(nullptr) == "utf-16");
  CHECK(chosen({"utf-16"}) == "utf-16");
  CHECK(chosen({"utf-32"}) == "utf-32");
  CHECK(chosen({"utf-16", "utf-8"}) == "utf-8");
}

TEST_CASE("of several keystrokes the last one is checked") {
  EditorClient client;
  client.open("a.yaml", "a: 1\n");
  const int before = client.publications;
  for (int i = 2; i < 10; ++i) {
    client.send({{"method", "textDocument/didChange"},
                 {"params",
                  {{"textDocument", {{"uri", client.uri}, {"version", i}}},
                   {"contentChanges", json::array({{{"text", "a: " + std::to_string(i)}}})}}}});
  }
  client.server.work();
  CHECK(client.publications == before + 1);
}

TEST_CASE("a client that can watch files is asked to") {
  const json able = {{"workspace", {{"didChangeWatchedFiles", {{"dynamicRegistration", true}}}}}};
  EditorClient client(Texts{}, {{"capabilities", able}});
  REQUIRE(client.asked.size() == 1);
  CHECK(client.asked[0]["method"] == "client/registerCapability");
  CHECK(EditorClient().asked.empty());
}
