#include "emit/canonical.h"

#include "tree/integer_text.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

bool is_number_or_text(Kind kind) {
  return kind == Kind::Int || kind == Kind::Float || kind == Kind::String;
}

/// A number becomes a string, as Kubernetes returns it. Otherwise a controller that writes an
/// object back would change it, and show a difference from Git.
void canonicalise_quantity(Tree& tree, NodeId id) {
  if (!is_number_or_text(tree[id].kind)) return;
  const auto quantity = Quantity::parse(tree[id].text);
  if (!quantity) return;
  const std::string text = quantity->text();
  if (text != tree[id].text) tree[id].text = tree.intern(text);
  tree[id].kind = Kind::String;
}

void canonicalise_mode(Tree& tree, NodeId id) {
  if (tree[id].kind != Kind::Int) return;
  const auto text = canonical_int(tree[id].text);
  if (text && *text != tree[id].text) tree[id].text = tree.intern(*text);
}

void walk(Tree& tree, NodeId id, FieldShape shape) {
  if (tree[id].is_seq()) {
    for (NodeId child : tree.children(id)) walk(tree, child, shape);
  } else if (tree[id].is_map()) {
    FieldFinder finder(tree, id, shape);
    for (NodeId child : tree.children(id)) walk(tree, child, finder.find(tree[child].key).shape);
  } else {
    canonicalise_scalar(tree, id, shape);
  }
}

}  // namespace

void canonicalise_scalar(Tree& tree, NodeId id, FieldShape shape) {
  if (shape == FieldShape::Quantity) canonicalise_quantity(tree, id);
  if (shape == FieldShape::Mode) canonicalise_mode(tree, id);
}

void canonicalise(Tree& tree, NodeId object) {
  if (object != kNoNode) walk(tree, object, FieldShape::Object);
}

}  // namespace trainyard
