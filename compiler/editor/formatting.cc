#include "editor/formatting.h"

#include <algorithm>

#include "driver/format/format_files.h"
#include "driver/session/session.h"

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

}  // namespace

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

}  // namespace trainyard
