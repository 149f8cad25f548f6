#include <nlohmann/json.hpp>

#include "diag/fix_preview.h"
#include "diag/place.h"
#include "diag/redaction.h"
#include "diag/render.h"

namespace trainyard {
namespace {

using nlohmann::json;

json position(Position at, std::uint32_t offset) {
  return {{"line", at.line}, {"column", at.column}, {"offset", offset}};
}

/// Sets `file`, `start` and `end`; null for what no file says, so that the keys are always there.
void set_place(json& object, Span span, const SourceMap& sources) {
  if (!span.known()) {
    object["file"] = object["start"] = object["end"] = nullptr;
    return;
  }
  const Place place = place_of(span, sources);
  object["file"] = place.file;
  object["start"] = position(place.start, place.start_offset);
  object["end"] = position(place.end, place.end_offset);
}

json to_json(const Label& label, const SourceMap& sources, const Redaction& redaction) {
  json object = {{"text", redaction.words(label.text)}};
  set_place(object, label.span, sources);
  return object;
}

json to_json(const Fix& fix, const SourceMap& sources, const Redaction& redaction) {
  json object = {{"text", redaction.words(fix.text)},
                 {"replacement", redaction.words(new_text(fix, sources))}};
  set_place(object, fix.span, sources);
  return object;
}

json to_json(const Diagnostic& diagnostic, const SourceMap& sources, const Redaction& redaction) {
  json object = {{"kind", info(diagnostic.kind).name},
                 {"check", nullptr},
                 {"severity", word(diagnostic.severity)},
                 {"effect", word(diagnostic.effect())},
                 {"message", redaction.words(diagnostic.message)},
                 {"path", redaction.words(diagnostic.path)},
                 {"label", redaction.words(diagnostic.label)},
                 {"labels", json::array()},
                 {"notes", json::array()},
                 {"fixes", json::array()}};
  if (!diagnostic.found_by.check.empty()) object["check"] = diagnostic.found_by.check;
  set_place(object, diagnostic.span, sources);
  for (const Label& label : diagnostic.labels) {
    object["labels"].push_back(to_json(label, sources, redaction));
  }
  for (const std::string& note : diagnostic.notes) object["notes"].push_back(redaction.words(note));
  for (const Fix& fix : diagnostic.fixes) {
    object["fixes"].push_back(to_json(fix, sources, redaction));
  }
  return object;
}

}  // namespace

std::string render_json(std::span<const Diagnostic> diagnostics, const SourceMap& sources) {
  const Redaction redaction(diagnostics, sources);
  json list = json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    list.push_back(to_json(diagnostic, sources, redaction));
  }
  const json document = {{"version", 1}, {"diagnostics", std::move(list)}};
  // ASCII only: a control character of the source must not act on a terminal that shows the JSON.
  return document.dump(2, ' ', true, json::error_handler_t::replace) + '\n';
}

}  // namespace trainyard
