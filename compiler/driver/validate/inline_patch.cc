#include "driver/validate/inline_patch.h"

#include <string>

#include "diag/sink.h"
#include "diag/words.h"
#include "schema/schema_check.h"
#include "shell/word_view.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {

InlinePatches::InlinePatches(View text) : text_(text) {
  if (string_of(text).empty()) return;
  Sink sink;
  const FileId file = inner_.add(std::string(text.key()), std::string(text->text));
  documents_ = read_yaml(inner_, file, sink, {}, Ambiguity::Kubernetes);
  if (sink.has_errors()) documents_.clear();
}

std::vector<View> InlinePatches::all() const {
  std::vector<View> all;
  for (const Tree& each : documents_) {
    const View root(each, each.root());
    if (root->is_map() || root->is_seq()) all.push_back(root);
  }
  return all;
}

Span InlinePatches::place(Span inner, const SourceMap& sources) const {
  return place_of_word(WordView(text_, inner.begin, inner.end), sources).value_or(text_->span);
}

void tell_unknown_fields(View patch, const InlinePatches& patches, Session& session) {
  const SchemaKind* kind =
      session.schemas.find(string_at(patch, "apiVersion"), string_at(patch, "kind"));
  if (kind == nullptr) return;
  for (const Violation& each : session.checker.check(kind->schema, patch.tree(), patch.id())) {
    if (each.kind != DiagnosticKind::UnknownField) continue;
    const View field(patch.tree(), each.node);
    if (field.key().starts_with('$')) continue;  // `$patch: delete`
    std::string message = "unknown field " + shown(field.key()) + " in a patch of kind `" +
                          std::string(string_at(patch, "kind")) + "`";
    if (!each.suggestion.empty()) message += ", did you mean " + shown(each.suggestion) + "?";
    session.sink.report(DiagnosticKind::UnknownField,
                        patches.place(field->key_span, session.sources), std::move(message));
  }
}

}  // namespace trainyard
