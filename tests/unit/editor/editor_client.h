#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "editor/language_server.h"
#include "source/file_system.h"

namespace trainyard::testing {

using nlohmann::json;

using Texts = std::map<std::string, std::string>;

/// A client of the server, over files in memory. A `|` in a text is the cursor.
class EditorClient {
 public:
  explicit EditorClient(Texts files = {}, json options = json::object())
      : server(ServerWorld{disk, &EditorClient::prepare_session,
                           [this](const std::string& body) { received(body); },
                           [this] {
                             if (meanwhile) std::exchange(meanwhile, nullptr)();
                           }}) {
    disk.files = std::move(files);
    options["rootUri"] = "file:///work";
    initialized = request("initialize", options);
    notify("initialized", json::object());
  }

  /// The answer, or the error, as the server sent it.
  json response(const std::string& method, json params) {
    const int id = ++last_id;
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
    server.work();
    return answers[std::to_string(id)];
  }
  json request(const std::string& method, json params) {
    return response(method, std::move(params))["result"];
  }
  void notify(const std::string& method, json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
    server.work();
  }
  void send(const json& message) { server.take(message.dump()); }

  /// Opens a file under /work with a text; the cursor is taken out of it.
  void open(const std::string& name, std::string text) {
    const std::size_t cursor = text.find('|');
    if (cursor != std::string::npos) text.erase(cursor, 1);
    uri = "file:///work/" + name;
    const std::string before = text.substr(0, std::min(cursor, text.size()));
    line = static_cast<int>(std::ranges::count(before, '\n'));
    character = static_cast<int>(before.size() - (before.rfind('\n') + 1));
    notify(
        "textDocument/didOpen",
        {{"textDocument", {{"uri", uri}, {"languageId", "yaml"}, {"version", 1}, {"text", text}}}});
  }
  /// Replaces characters of one line.
  void type(int at_line, int from, int to, const std::string& text) {
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri}, {"version", ++version}}},
            {"contentChanges", json::array({{{"range",
                                              {{"start", {{"line", at_line}, {"character", from}}},
                                               {"end", {{"line", at_line}, {"character", to}}}}},
                                             {"text", text}}})}});
  }
  /// Asks at the cursor.
  json ask(const std::string& method, json more = json::object()) {
    more["textDocument"] = {{"uri", uri}};
    more["position"] = {{"line", line}, {"character", character}};
    return request("textDocument/" + method, std::move(more));
  }
  /// `2:4-2:9 text`, one for each diagnostic of the open file.
  std::vector<std::string> found() const { return found(uri); }
  std::vector<std::string> found(const std::string& of) const {
    std::vector<std::string> lines;
    const auto all = published.find(of);
    if (all == published.end()) return lines;
    for (const json& each : all->second) {
      lines.push_back(range_text(each["range"]) + " " + each["message"].get<std::string>());
    }
    return lines;
  }
  std::vector<std::string> labels() {
    std::vector<std::string> all;
    const json list = ask("completion");
    for (const json& each : list["items"]) all.push_back(each["label"]);
    return all;
  }

  static std::string range_text(const json& range) {
    const auto place = [](const json& at) {
      return std::to_string(at["line"].get<int>()) + ":" +
             std::to_string(at["character"].get<int>());
    };
    return place(range["start"]) + "-" + place(range["end"]);
  }

  EditorClient(const EditorClient&) = delete;

  MemoryFileSystem disk;
  LanguageServer server;
  std::map<std::string, json> answers;    // by id
  std::map<std::string, json> published;  // diagnostics by URI
  std::vector<json> asked;                // requests of the server
  int publications = 0;
  json initialized;
  std::function<void()> meanwhile;  // what the client does while the server works
  std::string uri;                  // of the file that was opened last
  int line = 0;
  int character = 0;
  int version = 1;
  int last_id = 0;

 private:
  static void prepare_session(Session& session, ValidateRequest& request) {
    prepare(session, SessionOptions(),
            {request.inputs, request.cluster, request.target, &request.kubernetes,
             &request.ignore_unknown_kinds});
  }
  void received(const std::string& body) {
    const json message = json::parse(body);
    if (message.contains("method") && message.contains("id")) {
      asked.push_back(message);
    } else if (message.contains("method")) {
      ++publications;
      published[message["params"]["uri"]] = message["params"]["diagnostics"];
    } else {
      answers[message["id"].is_string() ? message["id"].get<std::string>() : message["id"].dump()] =
          message;
    }
  }
};

inline bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

/// A spec without findings but for what follows.
inline constexpr const char* kSpecHead =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: llama}\n"
    "spec:\n"
    "  security: {level: baseline}\n"
    "  image: registry.example/train:1.0\n"
    "  run: {script: train.py}\n";

inline constexpr const char* kCluster =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: Cluster\n"
    "metadata:\n"
    "  name: gke\n"
    "spec:\n"
    "  pools:\n"
    "    - name: a3-mega\n"
    "      machine: a3-megagpu-8g\n"
    "      count: 16\n"
    "      network: {fabric: none}\n"
    "    - name: dgx\n"
    "      machine: dgx-h100\n"
    "      count: 4\n"
    "      network: {fabric: none}\n"
    "  queues:\n"
    "    - name: research\n"
    "      system: kueue\n";

}  // namespace trainyard::testing
