#include "tree/origin_span.h"

namespace trainyard {

Span key_span_of_origin(Documents documents, Span value, std::string_view key) {
  for (const Tree* tree : documents) {
    for (std::size_t i = 0; value.known() && i < tree->size(); ++i) {
      const Node& node = (*tree)[static_cast<NodeId>(i)];
      const bool holds = node.span.file == value.file && node.span.begin <= value.begin &&
                         value.end <= node.span.end;
      if (holds && node.key == key && node.key_span.known()) return node.key_span;
    }
  }
  return value;
}

Span span_of_origin(const Origins& origins, OriginId id) {
  if (id == kNoOrigin) return {};
  // What led to a text, such as what it replaces, is no better place than the text itself.
  const OriginKind kind = origins[id].kind;
  if (kind == OriginKind::Spec || kind == OriginKind::Parameter) return origins[id].span;
  for (OriginId input : origins.inputs(id)) {
    const Span found = span_of_origin(origins, input);
    if (found.known()) return found;
  }
  return origins[id].span;
}

}  // namespace trainyard
