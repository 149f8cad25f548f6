// Arbitrary bytes as what a client of the language server sends. The first byte says what they are:
// a stream of messages, or a text that is typed.

#include <algorithm>
#include <string>

#include "editor/language_server.h"
#include "editor/message_stream.h"
#include "world.h"

namespace trainyard::fuzzing {
namespace {

using nlohmann::json;

constexpr const char* kUri = "file:///in/job.yaml";

/// A server with its client: each message of it is JSON, and each range lies within the text.
class Editor {
 public:
  Editor() {
    world_.files.files["in/.git/HEAD"] = "";
    send({{"id", 0}, {"method", "initialize"}, {"params", {{"rootUri", "file:///in"}}}});
  }

  void take(const std::string& body) {
    server_.take(body);
    server_.work();
  }
  void send(const json& message) {
    take(message.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  void ask(const char* method, std::size_t line, std::size_t character) {
    send({{"id", ++id_},
          {"method", std::string("textDocument/") + method},
          {"params",
           {{"textDocument", {{"uri", kUri}}},
            {"position", {{"line", line}, {"character", character}}},
            {"range",
             {{"start", {{"line", line}, {"character", 0}}},
              {"end", {{"line", line}, {"character", character}}}}},
            {"newName", "other"}}}});
    require(answered_ == id_, "each request is answered");
  }
  void ask_all(std::size_t line, std::size_t character) {
    for (const char* method : {"completion", "hover", "definition", "references", "prepareRename",
                               "rename", "codeAction"}) {
      ask(method, line, character);
    }
  }

 private:
  void received(const std::string& body) {
    const json message = json::parse(body, nullptr, false);
    require(message.is_object(), "a message is a JSON object");
    if (message.contains("id") && message["id"].is_number_integer()) answered_ = message["id"];
    require_ranges(message);
  }

  static void require_ranges(const json& value) {
    if (value.is_object() && value.contains("start") && value.contains("end")) {
      const auto place = [](const json& at) {
        return std::pair(at.value("line", -1), at.value("character", -1));
      };
      require(place(value["start"]).first >= 0, "a range has a beginning");
      require(place(value["start"]) <= place(value["end"]), "a range begins before it ends");
    }
    if (!value.is_structured()) return;
    for (const json& each : value) require_ranges(each);
  }

  World world_;
  int id_ = 0;
  int answered_ = 0;
  LanguageServer server_{{world_.files,
                          [](Session& session, ValidateRequest&) { session.limits = kSmall; },
                          [this](const std::string& body) { received(body); }, [] {}}};
};

/// A stream with its headers, or one body.
void as_messages(std::string_view bytes) {
  MessageReader reader;
  reader.feed(bytes);
  Editor editor;
  while (const auto body = reader.next()) editor.take(*body);
  editor.take(std::string(bytes));
}

/// A text that is there, is cut off in the middle of a line, and goes on elsewhere.
void as_text(std::string_view bytes) {
  Editor editor;
  editor.send({{"method", "textDocument/didOpen"},
               {"params", {{"textDocument", {{"uri", kUri}, {"version", 1}, {"text", bytes}}}}}});
  for (const char* method : {"documentSymbol", "foldingRange", "formatting", "codeLens"}) {
    editor.ask(method, 0, 0);
  }
  constexpr std::size_t kPlaces = 2;
  for (std::size_t i = 1; i <= kPlaces; ++i) {
    const std::size_t at = bytes.size() * i / (kPlaces + 1);
    const std::string_view before = bytes.substr(0, at);
    const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t character = before.size() - (before.rfind('\n') + 1);
    editor.ask_all(line, character);
    const json place = {{"line", line}, {"character", character}};
    editor.send(
        {{"method", "textDocument/didChange"},
         {"params",
          {{"textDocument", {{"uri", kUri}, {"version", 2}}},
           {"contentChanges",
            {{{"range", {{"start", place}, {"end", {{"line", line + 1}, {"character", 0}}}}},
              {"text", ""}}}}}}});
    editor.ask_all(line, character);
  }
}

constexpr Use kUses[] = {{'m', as_messages}, {'t', as_text}};

}  // namespace
}  // namespace trainyard::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return trainyard::fuzzing::use_input(trainyard::fuzzing::kUses, data, size);
}
