#include "driver/build/inferred_fields.h"

#include <string>
namespace trainyard {
namespace {

/// The first node at a dotted path, in which `*` stands for any key; kNoNode when there is none.
NodeId first_at(const Tree& tree, NodeId node, std::string_view path, std::string_view value) {
  if (node == kNoNode) return kNoNode;
  if (path.empty()) return value.empty() || tree[node].text == value ? node : kNoNode;
  const std::size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  const std::string_view rest = dot == path.npos ? std::string_view() : path.substr(dot + 1);
  if (key != "*") return first_at(tree, tree.find(node, key), rest, value);
  for (NodeId child : tree.children(node)) {
    const NodeId found = first_at(tree, child, rest, value);
    if (found != kNoNode) return found;
  }
  return kNoNode;
}

/// The text of the user that an origin leads back to; unknown when only a template has it.
Span users_place(const Origins& origins, OriginId id) {
  if (id == kNoOrigin) return {};
  const Origin& origin = origins[id];
  if (origin.kind != OriginKind::Template && origin.span.known()) return origin.span;
  for (OriginId input : origins.inputs(id)) {
    const Span found = users_place(origins, input);
    if (found.known()) return found;
  }
  return {};
}

/// Where the value comes from, or the first thing in it.
Span place_of(const Tree& tree, NodeId node, const Origins& origins) {
  const Span own = users_place(origins, tree[node].origin);
  if (own.known()) return own;
  for (NodeId child : tree.children(node)) {
    const Span inner = place_of(tree, child, origins);
    if (inner.known()) return inner;
  }
  return {};
}

}  // namespace

void report_inferred_shapes(const ObjectSet& objects, const TargetFacts& target,
                            const Origins& origins, Span otherwise, Sink& sink) {
  for (const InferredShape& row : target.inferred) {
    for (const Object& object : objects.objects) {
      const NodeId found = first_at(objects.tree, object.root, row.field, row.value);
      if (found == kNoNode) continue;
      const std::string_view field = row.field.substr(row.field.rfind('.') + 1);
      std::string what = "`" + std::string(row.value.empty() ? field : row.value) + "`";
      const Span place = place_of(objects.tree, found, origins);
      sink.report(DiagnosticKind::InferredShape, place.known() ? place : otherwise,
                  "the schema of " + what + " in a " + std::string(object.kind) + " is not public")
          .note("trainyard infers it: " + std::string(row.because))
          .note("try it on the cluster before you rely on it");
      break;
    }
  }
}

}  // namespace trainyard
