#include "schema/schema_check.h"
#include "schema/type_words.h"
#include "tree/heading.h"

namespace trainyard {
namespace {

Diagnostic diagnostic(const Violation& violation, const Tree& tree, std::string_view source) {
  const Node& node = tree[violation.node];
  // What a map lacks stands nowhere; the map's key is where to look.
  const bool at_key = violation.at_key || violation.kind == DiagnosticKind::MissingField;
  const Span span = at_key && node.key_span.known() ? node.key_span : heading(node);
  Diagnostic result(violation.kind, span, violation.message);
  result.severity = violation.severity;
  result.at(violation.path);
  if (violation.other != kNoNode) result.also(tree[violation.other].span, "the first one is here");
  if (!violation.suggestion.empty()) {
    const std::string word(violation.suggestion);
    result.fix(span, word, "write `" + word + "`");
  } else if (!violation.replacement.empty()) {
    result.fix(at_key ? span : node.span, violation.replacement,
               "write `" + violation.replacement + "`");
  }
  if (!violation.note.empty()) result.note(violation.note);
  if (!source.empty()) result.note("wanted by the schema of " + std::string(source));
  return result;
}

/// What was read of an unquoted text is not what stands there; the text is what belongs in quotes.
void keep_text(const Node& node, std::string_view text, Diagnostic& diagnostic) {
  const bool quotes = diagnostic.fixes.size() == 1 && node.is_scalar() &&
                      diagnostic.fixes[0].replacement == quoted(node.text);
  if (!quotes || node.style != Style::Plain || text == node.text) return;
  const std::string old = diagnostic.fixes[0].text;
  Fix& fix = diagnostic.fixes[0];
  fix.replacement = quoted(text);
  fix.text = "write `" + fix.replacement + "`";
  if (const std::size_t at = diagnostic.message.find(old); at != std::string::npos) {
    diagnostic.message.replace(at, old.size(), fix.text);
  }
  diagnostic.note("Kubernetes reads `" + std::string(text) + "` without quotes as `" +
                  std::string(node.text) + "`");
}

}  // namespace

void report(const std::vector<Violation>& violations, const Tree& tree, std::string_view source,
            Sink& sink, const SourceMap* sources) {
  for (const Violation& each : violations) {
    Diagnostic found = diagnostic(each, tree, source);
    if (sources != nullptr && found.span.known() && !each.at_key) {
      keep_text(tree[each.node], sources->text(found.span), found);
    }
    sink.report(std::move(found));
  }
}

}  // namespace trainyard
