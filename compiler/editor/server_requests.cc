#include "editor/server_requests.h"

#include <algorithm>
#include <array>
#include <string>

#include "driver/format/format_files.h"
#include "driver/session/session.h"
#include "editor/document_shape.h"
#include "editor/field_completion.h"
#include "editor/field_hover.h"
#include "editor/job_lens.h"
#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {
namespace {

/// One edit from the first byte that differs to the last, at whole lines.
Json edit_between(const OpenDocument& document, std::string_view after, PositionUnit unit) {
  const std::string_view before = document.text;
  if (before == after) return Json::array();
  const auto differ = std::ranges::mismatch(before, after);
  auto begin = static_cast<std::size_t>(differ.in1 - before.begin());
  begin = begin == 0 ? 0 : before.rfind('\n', begin - 1) + 1;
  std::size_t same = 0;  // bytes at the end
  const std::size_t most = std::min(before.size(), after.size()) - begin;
  while (same < most && before[before.size() - 1 - same] == after[after.size() - 1 - same]) ++same;
  while (same > 0 && before[before.size() - same - 1] != '\n') --same;
  const std::size_t end = before.size() - same;
  return Json::array(
      {{{"range", range_json(document.lines, before, begin, end, unit)},
        {"newText", std::string(after.substr(begin, after.size() - same - begin))}}});
}

/// The edits that lay a document out as `trainyard fmt` does; `fault` says why it cannot be.
Json format_document(Workspace& workspace, const OpenDocument& document, std::string& fault) {
  // As standard input: then no file is written.
  Env env{workspace.documents,
          [&document](std::size_t) { return FileRead{document.text, std::nullopt}; }};
  Session session(env);
  FormatRequest request;
  request.inputs = {"-"};
  const FormatResult result = format_files(session, request);
  if (session.sink.has_errors()) {
    fault = session.sink.sorted().front().message;
    return nullptr;
  }
  return edit_between(document, result.stream, workspace.unit);
}

std::size_t offset_of(const OpenDocument& document, const Json& params, PositionUnit unit) {
  return document.lines.offset(document.text, read_position(member(params, "position")), unit);
}

Response references(const OpenDocument& document, const Json& params, RequestScope scope) {
  const Json& wants = member(member(params, "context"), "includeDeclaration");
  const bool with_definitions = !wants.is_boolean() || wants.get<bool>();
  Response response{Json::array()};
  for (const NamePlace& each :
       name_places(scope.workspace, document, offset_of(document, params, scope.workspace.unit),
                   scope.cancelled)) {
    if (each.is_definition && !with_definitions) continue;
    response.result.push_back({{"uri", each.uri}, {"range", each.range}});
  }
  return response;
}

Response code_actions(const OpenDocument& document, const Json& params, RequestScope scope) {
  const Json& range = member(params, "range");
  const PositionUnit unit = scope.workspace.unit;
  const auto offset = [&](std::string_view key) {
    return document.lines.offset(document.text, read_position(member(range, key)), unit);
  };
  const Json& only = member(member(params, "context"), "only");
  Response response{Json::array()};
  if (only.is_array() && std::ranges::none_of(only, [](const Json& kind) {
        return kind.is_string() &&
               std::string_view("quickfix").starts_with(kind.get<std::string>());
      })) {
    return response;
  }
  const std::size_t begin = offset("start");
  const std::size_t end = std::max(begin, offset("end"));
  for (const EditorFinding& each : scope.findings.of(document).findings) {
    if (each.end < begin || each.begin > end) continue;
    for (const Json& action : each.actions) response.result.push_back(action);
  }
  return response;
}

Response rename_name(const OpenDocument& document, const Json& params, RequestScope scope) {
  Response response;
  response.result =
      rename(scope.workspace, document, offset_of(document, params, scope.workspace.unit),
             text_at(params, "newName"), scope.cancelled, response.fault);
  return response;
}

using Handler = Response (*)(const OpenDocument&, const Json& params, RequestScope);

struct Method {
  std::string_view name;
  Handler handler;
};

constexpr auto kMethods = std::to_array<Method>({
    {"textDocument/completion",
     [](const OpenDocument& document, const Json& params, RequestScope scope) {
       return Response{
           complete(scope.workspace, document, offset_of(document, params, scope.workspace.unit))};
     }},
    {"textDocument/hover",
     [](const OpenDocument& document, const Json& params, RequestScope scope) {
       return Response{
           hover(scope.workspace, document, offset_of(document, params, scope.workspace.unit))};
     }},
    {"textDocument/definition",
     [](const OpenDocument& document, const Json& params, RequestScope scope) {
       return Response{definitions(scope.workspace, document,
                                   offset_of(document, params, scope.workspace.unit))};
     }},
    {"textDocument/references", references},
    {"textDocument/documentSymbol",
     [](const OpenDocument& document, const Json&, RequestScope scope) {
       return Response{document_symbols(document, scope.workspace.unit)};
     }},
    {"textDocument/foldingRange", [](const OpenDocument& document, const Json&,
                                     RequestScope) { return Response{folding_ranges(document)}; }},
    {"textDocument/formatting",
     [](const OpenDocument& document, const Json&, RequestScope scope) {
       Response response;
       response.result = format_document(scope.workspace, document, response.fault);
       return response;
     }},
    {"textDocument/codeAction", code_actions},
    {"textDocument/codeLens",
     [](const OpenDocument& document, const Json&, RequestScope scope) {
       return Response{job_lenses(scope.workspace, document)};
     }},
    {"textDocument/prepareRename",
     [](const OpenDocument& document, const Json& params, RequestScope scope) {
       return Response{prepare_rename(scope.workspace, document,
                                      offset_of(document, params, scope.workspace.unit))};
     }},
    {"textDocument/rename", rename_name},
});

}  // namespace

Response answer(const std::string& method, const Json& params, RequestScope scope) {
  const auto found = std::ranges::find(kMethods, method, &Method::name);
  if (found == kMethods.end()) {
    return {nullptr, ResponseError::MethodNotFound, "there is no method `" + method + "`"};
  }
  const OpenDocument* const document = scope.workspace.documents.find(document_uri(params));
  if (document == nullptr) return {};
  Response response = found->handler(*document, params, scope);
  if (!response.fault.empty()) response.error = ResponseError::RequestFailed;
  return response;
}

Json server_capabilities(PositionUnit unit) {
  constexpr int kIncremental = 2;
  return {
      {"positionEncoding", unit == PositionUnit::Utf8    ? "utf-8"
                           : unit == PositionUnit::Utf16 ? "utf-16"
                                                         : "utf-32"},
      {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}}},
      {"completionProvider", {{"triggerCharacters", {" ", ":", "-"}}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"documentFormattingProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"renameProvider", {{"prepareProvider", true}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

}  // namespace trainyard
