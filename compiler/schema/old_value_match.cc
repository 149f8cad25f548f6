#include "schema/old_value_match.h"

#include "schema/frame.h"
#include "schema/value_equal.h"

namespace trainyard {
namespace {

bool is_number(const Node& node) {
  return node.kind == Kind::Int || node.kind == Kind::Float;
}

bool same_scalar(const Node& a, const Node& b) {
  if (is_number(a) && is_number(b)) return a.text == b.text || number_of(a) == number_of(b);
  return a.kind == b.kind && a.text == b.text;
}

}  // namespace

/// The schema of an entry; kNoLimit when none describes it.
SchemaId OldValueMatch::schema_of(const SchemaNode& schema, std::string_view key) const {
  if (const auto property = pack_.property(schema, key)) return *property;
  return schema.additional == kAnySchema ? kNoLimit : schema.additional;
}

/// Whether the server takes an entry away before it compares anything.
bool OldValueMatch::is_dropped(const SchemaNode& schema, const Node& entry) const {
  const SchemaId wanted = schema_of(schema, entry.key);
  if (wanted == kNoLimit) {
    const bool head = (schema.flags & kEmbeddedResource) && is_head_field(entry.key);
    const bool open = schema.additional == kAnySchema || (schema.flags & kPreserveUnknown);
    return (schema.flags & kClosed) && !open && !head;
  }
  return entry.kind == Kind::Null && !(pack_[wanted].flags & kNullable);
}

OldValueMatch::Place OldValueMatch::field(const SchemaNode& schema, Place map,
                                          std::string_view name) const {
  const NodeId written = map.tree->find(map.node, name);
  if (written != kNoNode && !is_dropped(schema, (*map.tree)[written])) return {map.tree, written};
  for (const SchemaProperty& each : pack_.properties(schema)) {
    if (pack_.text(each.name) == name) return {&defaults_.tree(), defaults_.node(each)};
  }
  return {};
}

/// Calls `visit(entry)` for what is in a map, defaults among it, until one says false.
template <class Visit>
bool OldValueMatch::each_entry(const SchemaNode& schema, Place map, Visit visit) const {
  for (NodeId child : map.tree->children(map.node)) {
    if (is_dropped(schema, (*map.tree)[child])) continue;
    if (!visit(Place{map.tree, child})) return false;
  }
  for (const SchemaProperty& each : pack_.properties(schema)) {
    if (pack_[each.schema].default_value.size == 0) continue;
    const NodeId written = map.tree->find(map.node, pack_.text(each.name));
    if (written != kNoNode && !is_dropped(schema, (*map.tree)[written])) continue;
    const Place standard{&defaults_.tree(), defaults_.node(each)};
    if (standard && !visit(standard)) return false;
  }
  return true;
}

std::uint32_t OldValueMatch::size(const SchemaNode& schema, Place map) const {
  std::uint32_t count = 0;
  each_entry(schema, map, [&](Place) { return ++count != 0; });
  return count;
}

bool OldValueMatch::same(SchemaId schema, Place now, Place before, bool found_again) const {
  if (now->is_map() && before->is_map()) {
    return same_map(pack_[schema], now, before, found_again);
  }
  if (now->is_seq() && before->is_seq()) {
    return same_list(pack_[schema], now, before, found_again);
  }
  return now->is_scalar() && before->is_scalar() && same_scalar(*now, *before);
}

bool OldValueMatch::same_map(const SchemaNode& schema, Place now, Place before,
                             bool found_again) const {
  if (size(schema, now) != size(schema, before)) return false;
  return each_entry(schema, now, [&](Place entry) {
    const std::string_view key = entry->key;
    const SchemaId wanted = schema_of(schema, key);
    if (wanted == kNoLimit && found_again) return false;
    const Place other = field(schema, before, key);
    return other && same(wanted == kNoLimit ? kAnySchema : wanted, entry, other, found_again);
  });
}

bool OldValueMatch::same_list(const SchemaNode& schema, Place now, Place before,
                              bool found_again) const {
  if (now->size != before->size) return false;
  const SchemaId items = schema.items == kNoLimit ? kAnySchema : schema.items;
  const bool keyed = found_again && schema.list_type == ListType::Map;
  NodeId next = before->first;
  for (NodeId child : now.tree->children(now.node)) {
    const Place item{now.tree, child};
    const Place other = keyed ? item_like(schema, item, before) : Place{before.tree, next};
    if (!other || !same(items, item, other, keyed)) return false;
    if (!keyed) next = other->next;
  }
  return true;
}

OldValueMatch::Place OldValueMatch::item_like(const SchemaNode& list, Place item,
                                              Place before) const {
  for (NodeId each : before.tree->children(before.node)) {
    const Place other{before.tree, each};
    if (same_keys(list, item, other)) return other;
  }
  return {};
}

bool OldValueMatch::same_keys(const SchemaNode& list, Place a, Place b) const {
  if (!a->is_map() || !b->is_map() || list.list_keys.count == 0) return false;
  const SchemaNode& item = pack_[list.items == kNoLimit ? kAnySchema : list.items];
  for (PackText key : pack_.texts(list.list_keys)) {
    const Place x = field(item, a, pack_.text(key));
    const Place y = field(item, b, pack_.text(key));
    if (!x || !y || !x->is_scalar() || !y->is_scalar() || !same_scalar(*x, *y)) return false;
  }
  return true;
}

}  // namespace trainyard
