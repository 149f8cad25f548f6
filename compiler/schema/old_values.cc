#include "schema/old_values.h"

#include "schema/old_value_match.h"
#include "schema/property.h"

namespace trainyard {

/// The property of a place, when it has a default; null otherwise.
const SchemaProperty* OldValues::default_of(const Frame& at) const {
  if (at.up == nullptr || at.up->schema == nullptr) return nullptr;
  const SchemaProperty* property = find_property(pack_, *at.up->schema, tree_[at.node].key);
  if (property == nullptr || pack_[property->schema].default_value.size == 0) return nullptr;
  return property;
}

NodeId OldValues::value(const Frame& at) const {
  const NodeId written = node(at);
  if (written != kNoNode || is_new() || !at.in_map()) return written;
  if (node(*at.up) == kNoNode) return kNoNode;
  const SchemaProperty* property = default_of(at);
  return property == nullptr ? kNoNode : defaults_.mark(*property);
}

NodeId OldValues::node(const Frame& at) const {
  if (is_new()) return kNoNode;
  if (at.up == nullptr) return old_.root;
  const NodeId parent = node(*at.up);
  if (parent == kNoNode) return kNoNode;
  if (at.in_map()) {
    const NodeId found = old_.tree->find(parent, tree_[at.node].key);
    const bool null = found != kNoNode && (*old_.tree)[found].kind == Kind::Null;
    return null ? kNoNode : found;
  }
  const SchemaNode* list = at.up->schema;
  if (list == nullptr || list->list_type != ListType::Map) return kNoNode;
  const OldValueMatch likeness(pack_, defaults_);
  for (NodeId item : old_.tree->children(parent)) {
    if (likeness.same_keys(*list, {&tree_, at.node}, {old_.tree, item})) return item;
  }
  return kNoNode;
}

}  // namespace trainyard
