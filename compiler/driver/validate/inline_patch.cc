#include "driver/validate/inline_patch.h"

#include <string>

#include "diag/sink.h"
#include "diag/words.h"
#include "schema/schema_check.h"
#include "shell/text_places.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {
namespace {

/// Gives the nodes of a document the places that they have around it.
void move_out(Tree& document, const TextPlaces& places) {
  for (NodeId id = 0; id < document.size(); ++id) {
    document[id].span = places.outer(document[id].span);
    document[id].key_span = places.outer(document[id].key_span);
  }
}

}  // namespace

InlinePatches::InlinePatches(View text, const SourceMap& sources) {
  if (string_of(text).empty()) return;
  Sink sink;
  const FileId file = inner_.add(std::string(text.key()), std::string(text->text));
  documents_ = read_yaml(inner_, file, sink, {}, Ambiguity::Kubernetes);
  if (sink.has_errors()) documents_.clear();
  const TextPlaces places(text, sources);
  for (Tree& each : documents_) move_out(each, places);
}

std::vector<View> InlinePatches::all() const {
  std::vector<View> all;
  for (const Tree& each : documents_) {
    const View root(each, each.root());
    if (root->is_map() || root->is_seq()) all.push_back(root);
  }
  return all;
}

void tell_unknown_fields(View patch, Session& session, Sink& sink) {
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
    sink.report(DiagnosticKind::UnknownField, field->key_span, std::move(message));
  }
}

}  // namespace trainyard
