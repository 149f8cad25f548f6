#include <map>

#include "diag/glyph.h"
#include "diag/place.h"
#include "diag/redaction.h"
#include "diag/report.h"

namespace trainyard {
namespace {

/// Text for an element or an attribute in double quotes. Of what is printable XML lacks U+FFFE and
/// U+FFFF.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view character = text.substr(i, 3);
    if (character == "\uFFFE" || character == "\uFFFF") {
      result += "\uFFFD";
      i += 2;
      continue;
    }
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// The findings of one file.
struct Case {
  std::string errors;
  std::string rest;   // warnings and notes
  std::string first;  // the first error's message
  std::size_t error_count = 0;
};

class Cases {
 public:
  Cases(std::span<const Diagnostic> diagnostics, const SourceMap& sources)
      : sources_(sources), redaction_(diagnostics, sources) {
    for (std::size_t file = 0; file < sources.size(); ++file) {
      if (!sources.is_builtin(static_cast<FileId>(file))) {
        cases_[printable(sources.name(static_cast<FileId>(file)))];
      }
    }
    for (const Diagnostic& diagnostic : diagnostics) add(diagnostic);
  }

  std::string finish() const {
    std::string result;
    std::size_t failed = 0;
    for (const auto& [name, each] : cases_) {
      failed += each.error_count == 0 ? 0 : 1;
      result += test_case(name, each);
    }
    const std::string counts = "name=\"trainyard\" tests=\"" + std::to_string(cases_.size()) +
                               "\" failures=\"" + std::to_string(failed) +
                               "\" errors=\"0\" skipped=\"0\"";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
           ">\n  <testsuite " + counts + ">\n" + result + "  </testsuite>\n</testsuites>\n";
  }

 private:
  void add(const Diagnostic& diagnostic) {
    std::string name = "trainyard";
    std::string line;
    if (diagnostic.span.known()) {
      const Place place = place_of(diagnostic.span, sources_);
      name = printable(place.file);
      line = name + ":" + std::to_string(place.start.line) + ":" +
             std::to_string(place.start.column) + ": ";
    }
    const auto shown = [&](std::string_view words) { return printable(redaction_.words(words)); };
    const std::string message = shown(diagnostic.message);
    line += std::string(word(diagnostic.severity)) + ": " + message + " [" +
            std::string(diagnostic.rule()) + "]\n";
    for (const std::string& note : diagnostic.notes) line += "  " + shown(note) + "\n";
    for (const Fix& fix : diagnostic.fixes) line += "  " + shown(fix.text) + "\n";

    Case& into = cases_[name];
    if (diagnostic.severity != Severity::Error) {
      into.rest += line;
      return;
    }
    if (into.error_count++ == 0) into.first = message;
    into.errors += line;
  }

  static std::string test_case(const std::string& name, const Case& each) {
    std::string result = "    <testcase classname=\"trainyard\" name=\"" + escaped(name) + "\"";
    if (each.errors.empty() && each.rest.empty()) return result + "/>\n";
    result += ">\n";
    if (!each.errors.empty()) {
      const std::string more =
          each.error_count > 1 ? " (and " + std::to_string(each.error_count - 1) + " more)" : "";
      result += "      <failure message=\"" + escaped(each.first + more) + "\">" +
                escaped(each.errors) + "</failure>\n";
    }
    if (!each.rest.empty()) result += "      <system-out>" + escaped(each.rest) + "</system-out>\n";
    return result + "    </testcase>\n";
  }

  const SourceMap& sources_;
  const Redaction redaction_;
  std::map<std::string, Case> cases_;
};

}  // namespace

std::string render_junit(std::span<const Diagnostic> diagnostics, const SourceMap& sources) {
  return Cases(diagnostics, sources).finish();
}

}  // namespace trainyard
