#include "schema/check.h"
#include "schema/words.h"

namespace trainyard {
namespace {

Diagnostic diagnostic(const Violation& violation, const Tree& tree, std::string_view source) {
  const Node& node = tree[violation.node];
  const Span span = violation.at_key ? node.key_span : node.span;
  Diagnostic result(violation.kind, span, violation.message);
  result.severity = violation.severity;
  result.at(violation.path);
  if (violation.other != kNoNode) result.also(tree[violation.other].span, "the first one is here");
  if (!violation.suggestion.empty()) {
    const std::string word(violation.suggestion);
    result.fix(span, word, "write `" + word + "`");
  } else if (!violation.replacement.empty()) {
    result.fix(span, violation.replacement, "write `" + violation.replacement + "`");
  }
  if (!violation.note.empty()) result.note(violation.note);
  if (!source.empty()) result.note("wanted by the schema of " + std::string(source));
  return result;
}

}  // namespace

void report(const std::vector<Violation>& violations, const Tree& tree, std::string_view source,
            Sink& sink) {
  for (const Violation& each : violations) sink.report(diagnostic(each, tree, source));
}

}  // namespace trainyard
