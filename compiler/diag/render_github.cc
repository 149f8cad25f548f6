#include "diag/glyph.h"
#include "diag/place.h"
#include "diag/redaction.h"
#include "diag/report.h"

namespace trainyard {
namespace {

std::string escaped(std::string_view text, bool in_property) {
  std::string result;
  for (char c : printable(text)) {
    if (c == '%') {
      result += "%25";
    } else if (in_property && c == ':') {
      result += "%3A";
    } else if (in_property && c == ',') {
      result += "%2C";
    } else {
      result += c;
    }
  }
  return result;
}

std::string_view command(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      break;
  }
  return "notice";
}

std::string place_properties(Span span, const SourceMap& sources) {
  if (!span.known()) return {};
  const Place place = place_of(span, sources);
  std::string result = "file=" + escaped(place.file, true) +
                       ",line=" + std::to_string(place.start.line) +
                       ",endLine=" + std::to_string(place.end.line);
  // GitHub takes columns within one line only.
  if (place.start.line == place.end.line) {
    result += ",col=" + std::to_string(place.start.column) +
              ",endColumn=" + std::to_string(place.end.column);
  }
  return result + ",";
}

}  // namespace

std::string render_github(std::span<const Diagnostic> diagnostics, const SourceMap& sources) {
  const Redaction redaction(diagnostics, sources);
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string text;
    const auto add_line = [&](std::string_view lead, std::string_view words) {
      if (words.empty()) return;
      if (!text.empty()) text += "%0A";
      text.append(lead).append(escaped(redaction.words(words), false));
    };
    add_line("", diagnostic.message);
    add_line("field: ", diagnostic.path);
    for (const std::string& note : diagnostic.notes) add_line("note: ", note);
    for (const Fix& fix : diagnostic.fixes) add_line("help: ", fix.text);
    result += "::" + std::string(command(diagnostic.severity)) + " " +
              place_properties(diagnostic.span, sources) +
              "title=" + escaped(diagnostic.rule(), true) + "::" + text + "\n";
  }
  return result;
}

}  // namespace trainyard
