#include "editor/findings.h"

#include <filesystem>
#include <map>
#include <utility>

#include "diag/fix_preview.h"
#include "diag/redaction.h"
#include "driver/validate/validate.h"
#include "editor/file_uri.h"

namespace trainyard {
namespace {

/// `DiagnosticSeverity` of the protocol.
int severity_number(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return 1;
    case Severity::Warning:
      return 2;
    case Severity::Note:
      break;
  }
  return 3;
}

/// A file that is no manifest is none of our business.
bool is_of_no_interest(const Diagnostic& finding) {
  return finding.kind == DiagnosticKind::UnknownKind && finding.severity == Severity::Note;
}

class Translation {
 public:
  Translation(const EditorRun& run, const OpenDocument& document, PositionUnit unit,
              const Redaction& redaction)
      : sources_(run.session.sources),
        document_(document),
        file_(run.file_of(document.path)),
        unit_(unit),
        redaction_(redaction) {}

  EditorFinding of(const Diagnostic& finding) {
    EditorFinding result;
    const bool here = finding.span.known() && finding.span.file == file_;
    std::string message = redaction_.words(finding.message);
    Json related = Json::array();
    if (!here && finding.span.known()) {
      message = from_here(sources_.name(finding.span.file)) + ": " + message;
      relate(finding.span, finding.label, message, related);
    } else if (!finding.label.empty()) {
      message += "\n" + redaction_.words(finding.label);
    }
    for (const Label& label : finding.labels) relate(label.span, label.text, message, related);
    for (const std::string& note : finding.notes) message += "\n" + redaction_.words(note);
    if (here) {
      result.begin = finding.span.begin;
      result.end = finding.span.end;
    } else {
      result.end = document_.text.substr(0, document_.text.find_first_of("\r\n")).size();
    }
    result.diagnostic = {
        {"range", range_json(document_.lines, document_.text, result.begin, result.end, unit_)},
        {"severity", severity_number(finding.severity)},
        {"code", finding.rule()},
        {"source", "trainyard"},
        {"message", std::move(message)}};
    if (!related.empty()) result.diagnostic["relatedInformation"] = std::move(related);
    for (const Fix& fix : finding.fixes) add_action(fix, finding.fixes.size() == 1, result);
    return result;
  }

 private:
  bool is_in_program(FileId file) const { return sources_.is_builtin(file); }

  /// As people write a path in the document.
  std::string from_here(std::string_view path) const {
    const auto folder = std::filesystem::path(document_.path).parent_path();
    const std::string near = std::filesystem::path(path).lexically_relative(folder).string();
    return near.empty() ? std::string(path) : near;
  }

  std::string uri(FileId file) const {
    return file == file_ ? document_.uri : uri_of_path(sources_.name(file));
  }

  Json range(Span span) {
    const std::string_view text = sources_.text(span.file);
    auto [found, is_new] = lines_.try_emplace(span.file);
    if (is_new) found->second = LineIndex(text);
    return range_json(found->second, text, span.begin, span.end, unit_);
  }

  void relate(Span place, const std::string& text, std::string& message, Json& related) {
    const std::string words = redaction_.words(text);
    if (!place.known() || is_in_program(place.file)) {
      if (!words.empty()) message += "\n" + words;
      return;
    }
    related.push_back({{"location", {{"uri", uri(place.file)}, {"range", range(place)}}},
                       {"message", words.empty() ? "here" : words}});
  }

  void add_action(const Fix& fix, bool is_only_one, EditorFinding& finding) {
    if (!fix.span.known() || is_in_program(fix.span.file)) return;
    const std::string text = new_text(fix, sources_);
    if (redaction_.words(text) != text) return;  // it would show a secret
    Json edits = Json::array();
    edits.push_back({{"range", range(fix.span)}, {"newText", text}});
    finding.actions.push_back({{"title", redaction_.words(fix.text)},
                               {"kind", "quickfix"},
                               {"diagnostics", Json::array({finding.diagnostic})},
                               {"isPreferred", is_only_one},
                               {"edit", {{"changes", {{uri(fix.span.file), std::move(edits)}}}}}});
  }

  const SourceMap& sources_;
  const OpenDocument& document_;
  FileId file_;
  PositionUnit unit_;
  const Redaction& redaction_;
  std::map<FileId, LineIndex> lines_;
};

EditorFinding finding_of_rest(std::size_t count) {
  EditorFinding rest;
  rest.diagnostic = {{"range", {{"start", to_json({})}, {"end", to_json({})}}},
                     {"severity", 3},
                     {"source", "trainyard"},
                     {"message", std::to_string(count) +
                                     " more findings are left out; `trainyard validate` has them"}};
  return rest;
}

}  // namespace

DocumentFindings find_mistakes(Workspace& workspace, const OpenDocument& document) {
  DocumentFindings result;
  result.version = document.version;
  EditorRun run(workspace, document.path);
  Session& session = run.session;
  if (!session.sink.has_errors()) validate(session, run.request);
  const std::vector<Diagnostic> all = session.sink.sorted();
  const Redaction redaction(all, session.sources);
  Translation translation(run, document, workspace.unit, redaction);
  std::size_t left_out = 0;
  for (const Diagnostic& each : all) {
    if (is_of_no_interest(each)) continue;
    if (result.findings.size() == kMostFindings) {
      ++left_out;
    } else {
      result.findings.push_back(translation.of(each));
    }
  }
  if (left_out != 0) result.findings.push_back(finding_of_rest(left_out));
  for (FileId file = 0; file < session.sources.size(); ++file) {
    if (!session.sources.is_builtin(file)) result.files.emplace(session.sources.name(file));
  }
  return result;
}

}  // namespace trainyard
