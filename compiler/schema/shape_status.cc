#include <algorithm>

#include "schema/shape_walk.h"
#include "schema/type_words.h"
#include "schema/value_type.h"

namespace trainyard {
namespace {

/// What the server finds while it reads an object, before it drops the status.
bool is_found_in_reading(DiagnosticKind kind) {
  switch (kind) {
    case DiagnosticKind::UnknownField:
    case DiagnosticKind::WrongType:
    case DiagnosticKind::BadQuantity:
    case DiagnosticKind::OutOfRange:
    case DiagnosticKind::BadFormat:
      return true;
    default:
      return false;
  }
}

/// A map where a text or a list is wanted: everything in it is an unknown field.
void blame_first_entry(const Tree& tree, Violation& violation) {
  const Node& node = tree[violation.node];
  if (violation.kind != DiagnosticKind::WrongType || !node.is_map() || node.size == 0) return;
  const NodeId first = *tree.children(violation.node).begin();
  violation.kind = DiagnosticKind::UnknownField;
  violation.node = first;
  violation.at_key = true;
  append_key(tree[first].key, violation.path);
  violation.message = "unknown field " + shown(tree[first].key) + ": " + violation.message;
}

}  // namespace

/// What a request that is not about the status says of it is dropped before it is validated; only
/// unknown fields are noticed, when it is decoded.
/// kubernetes/apiextensions-apiserver pkg/registry/customresource/strategy.go
void ShapeWalk::status(const SchemaNode& schema, const Frame& at, Mode mode) {
  std::vector<Violation>& all = subject_.findings.violations;
  const auto before = static_cast<std::ptrdiff_t>(all.size());
  if (subject_.is_builtin) {
    value(subject_.id_of(schema), at, mode);
  } else if (type_fits(schema, subject_.tree[at.node])) {
    typed_value(schema, at, mode);
  }
  if (!subject_.is_builtin) {
    std::for_each(all.begin() + before, all.end(),
                  [this](Violation& each) { blame_first_entry(subject_.tree, each); });
  }
  const auto dropped = [this](const Violation& each) {
    return subject_.is_builtin ? !is_found_in_reading(each.kind)
                               : each.kind != DiagnosticKind::UnknownField;
  };
  all.erase(std::remove_if(all.begin() + before, all.end(), dropped), all.end());
}

}  // namespace trainyard
