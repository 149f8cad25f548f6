#include "editor/language_server.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "editor/file_uri.h"
#include "editor/server_requests.h"

namespace trainyard {
namespace {

/// A client that can count bytes is spared counting for the server's sake.
PositionUnit chosen_unit(const Json& params) {
  const Json& offered =
      member(member(member(params, "capabilities"), "general"), "positionEncodings");
  const auto offers = [&](std::string_view word) {
    return offered.is_array() && std::ranges::find(offered, Json(word)) != offered.end();
  };
  if (offers("utf-8")) return PositionUnit::Utf8;
  return offers("utf-32") && !offers("utf-16") ? PositionUnit::Utf32 : PositionUnit::Utf16;
}

std::string folder_path(const Json& folder) {
  std::string path = path_of_uri(text_at(folder, "uri"));
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool can_watch(const Json& params) {
  const Json& watching =
      member(member(member(params, "capabilities"), "workspace"), "didChangeWatchedFiles");
  return member(watching, "dynamicRegistration") == true;
}

Json watch_request() {
  constexpr std::string_view kMethod = "workspace/didChangeWatchedFiles";
  const Json options = {{"watchers", {{{"globPattern", "**/*.{yaml,yml,json,lock}"}}}}};
  return {{"jsonrpc", "2.0"},
          {"id", "watch"},
          {"method", "client/registerCapability"},
          {"params",
           {{"registrations",
             {{{"id", "watch"}, {"method", kMethod}, {"registerOptions", options}}}}}}};
}

}  // namespace

class LanguageServer::State {
 public:
  explicit State(ServerWorld world)
      : world_(std::move(world)), workspace_(world_.files), findings_(workspace_) {
    workspace_.prepare = world_.prepare;
  }

  void take(const std::string& body) {
    Json message = Json::parse(body, nullptr, false);
    if (message.is_discarded()) {
      return respond(nullptr, {nullptr, ResponseError::Parse, "the message is no JSON"});
    }
    if (text_at(message, "method") == "$/cancelRequest") {
      return cancel(member(member(message, "params"), "id"));
    }
    waiting_.push_back({std::move(message)});
  }

  void work() {
    while (!ended_) {
      if (!waiting_.empty()) {
        const Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        handle(next);
      } else if (auto published = findings_.next()) {
        notify("textDocument/publishDiagnostics", std::move(*published));
      } else {
        return;
      }
      world_.read_more();
    }
  }

  std::optional<ExitCode> ended() const { return ended_; }

 private:
  struct Waiting {
    Json message;
    bool is_cancelled = false;
  };

  void send(const Json& message) {
    world_.send(message.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void notify(std::string_view method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }

  void respond(const Json& id, Response response) {
    Json message = {{"jsonrpc", "2.0"}, {"id", id}};
    if (response.error == ResponseError::None) {
      message["result"] = std::move(response.result);
    } else {
      message["error"] = {{"code", static_cast<int>(response.error)},
                          {"message", std::move(response.fault)}};
    }
    send(message);
  }

  void cancel(const Json& id) {
    if (id.is_null()) return;
    if (id == running_) is_cancelled_ = true;
    for (Waiting& each : waiting_) {
      if (member(each.message, "id") == id) each.is_cancelled = true;
    }
  }

  void handle(const Waiting& next) {
    const std::string method = text_at(next.message, "method");
    const Json& params = member(next.message, "params");
    const bool is_request = next.message.is_object() && next.message.contains("id");
    if (!is_request) return take_notification(method, params);
    const Json id = member(next.message, "id");
    if (method.empty()) {
      // A response to a request of ours wants nothing more.
      if (next.message.contains("result") || next.message.contains("error")) return;
      return respond(id, {nullptr, ResponseError::InvalidRequest, "a request has no `method`"});
    }
    running_ = id;
    is_cancelled_ = next.is_cancelled;
    Response response;
    if (!is_cancelled_) response = take_request(method, params);
    if (is_cancelled_) response = {nullptr, ResponseError::RequestCancelled, "cancelled"};
    running_ = nullptr;
    respond(id, std::move(response));
  }

  Response take_request(const std::string& method, const Json& params) {
    if (shut_down_) {
      return {nullptr, ResponseError::InvalidRequest, "the server is shut down"};
    }
    if (method == "initialize") return initialize(params);
    if (!initialized_) {
      return {nullptr, ResponseError::NotInitialized, "the first request is `initialize`"};
    }
    if (method == "shutdown") {
      shut_down_ = true;
      return {};
    }
    const Cancelled cancelled = [this] {
      world_.read_more();
      return is_cancelled_;
    };
    return answer(method, params, {workspace_, findings_, cancelled});
  }

  Response initialize(const Json& params) {
    if (std::exchange(initialized_, true)) {
      return {nullptr, ResponseError::InvalidRequest, "`initialize` was sent before"};
    }
    workspace_.unit = chosen_unit(params);
    const Json& folders = member(params, "workspaceFolders");
    if (folders.is_array()) {
      for (const Json& each : folders) workspace_.folders.push_back(folder_path(each));
    } else if (member(params, "rootUri").is_string()) {
      workspace_.folders.push_back(folder_path({{"uri", member(params, "rootUri")}}));
    }
    take_settings(member(params, "initializationOptions"));
    watches_ = can_watch(params);
    return {{{"capabilities", server_capabilities(workspace_.unit)},
             {"serverInfo", {{"name", "trainyard"}, {"version", version()}}}}};
  }

  /// `{"cluster": "clusters/gke.yaml"}`, from the first folder.
  void take_settings(const Json& settings) {
    workspace_.cluster = text_at(settings, "cluster");
    const bool is_relative = !workspace_.cluster.empty() && !workspace_.cluster.starts_with('/');
    if (is_relative && !workspace_.folders.empty()) {
      workspace_.cluster = normal_path(workspace_.folders.front() + "/" + workspace_.cluster);
    }
  }

  void take_notification(const std::string& method, const Json& params) {
    if (method == "exit") ended_ = shut_down_ ? ExitCode::Good : ExitCode::InputWrong;
    if (!initialized_ || shut_down_) return;
    if (method == "initialized" && watches_) send(watch_request());
    if (method == "textDocument/didOpen") open(member(params, "textDocument"));
    if (method == "textDocument/didChange") change(params);
    if (method == "textDocument/didClose") close(document_uri(params));
    if (method == "workspace/didChangeWatchedFiles") take_changed_files(member(params, "changes"));
    if (method == "workspace/didChangeWorkspaceFolders") take_folders(member(params, "event"));
    if (method == "workspace/didChangeConfiguration") {
      take_settings(member(member(params, "settings"), "trainyard"));
      findings_.all_changed();
    }
  }

  void open(const Json& document) {
    const std::string uri = text_at(document, "uri");
    if (uri.empty()) return;
    findings_.changed(
        workspace_.documents.open(uri, number_at(document, "version"), text_at(document, "text")));
  }

  void change(const Json& params) {
    const Json& changes = member(params, "contentChanges");
    if (!changes.is_array()) return;
    const std::string uri = document_uri(params);
    const OpenDocument* document = nullptr;
    for (const Json& each : changes) {
      const std::string text = text_at(each, "text");
      TextChange change{std::nullopt, {}, text};
      if (const Json& range = member(each, "range"); range.is_object()) {
        change.begin = read_position(member(range, "start"));
        change.end = read_position(member(range, "end"));
      }
      document = workspace_.documents.change(
          uri, number_at(member(params, "textDocument"), "version"), change, workspace_.unit);
    }
    if (document != nullptr) findings_.changed(*document);
  }

  void close(const std::string& uri) {
    const OpenDocument* const found = workspace_.documents.find(uri);
    if (found == nullptr) return;
    const OpenDocument document = *found;
    workspace_.documents.close(uri);
    findings_.closed(document);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  void take_changed_files(const Json& changes) {
    constexpr std::int64_t kChanged = 2;  // else it is new or gone
    if (!changes.is_array()) return;
    for (const Json& each : changes) {
      if (number_at(each, "type") != kChanged) return findings_.all_changed();
      findings_.changed_on_disk(normal_path(path_of_uri(text_at(each, "uri"))));
    }
  }

  void take_folders(const Json& event) {
    for (const Json& each : member(event, "removed")) {
      std::erase(workspace_.folders, folder_path(each));
    }
    for (const Json& each : member(event, "added")) workspace_.folders.push_back(folder_path(each));
    findings_.all_changed();
  }

  ServerWorld world_;
  Workspace workspace_;
  PublishedFindings findings_;
  std::deque<Waiting> waiting_;
  Json running_ = nullptr;  // the id of the request that is worked on
  bool is_cancelled_ = false;
  bool initialized_ = false;
  bool shut_down_ = false;
  bool watches_ = false;
  std::optional<ExitCode> ended_;
};

LanguageServer::LanguageServer(ServerWorld world)
    : state_(std::make_unique<State>(std::move(world))) {}
LanguageServer::~LanguageServer() = default;

void LanguageServer::take(const std::string& body) {
  state_->take(body);
}
void LanguageServer::work() {
  state_->work();
}
std::optional<ExitCode> LanguageServer::ended() const {
  return state_->ended();
}

}  // namespace trainyard
