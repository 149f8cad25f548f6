#include "schema/rule_values.h"

#include "schema/names.h"
#include "schema/rule_text.h"
#include "schema/value_equal.h"

namespace trainyard {
namespace {

bool same_nodes(const Tree& a, NodeId x, const Tree& b, NodeId y) {
  const Node& p = a[x];
  const Node& q = b[y];
  const auto is_number = [](const Node& n) { return n.kind == Kind::Int || n.kind == Kind::Float; };
  if (is_number(p) && is_number(q)) return p.text == q.text || number_of(p) == number_of(q);
  if (p.kind != q.kind || p.size != q.size) return false;
  if (p.is_scalar()) return p.text == q.text;
  NodeId other = q.first;
  for (NodeId child : a.children(x)) {
    if (p.is_map()) other = b.find(y, a[child].key);
    if (other == kNoNode || !same_nodes(a, child, b, other)) return false;
    if (p.is_seq()) other = b[other].next;
  }
  return true;
}

}  // namespace

cel::Value RuleValues::value(SchemaId schema, NodeId id) const {
  const Node& n = node(id);
  if (schema == kTextSchema) return cel::Value::string(n.text);
  if (schema == kMetadataSchema) return cel::Value::foreign(cel::Type::Map, this, id, schema);
  if (n.kind == Kind::Null) return cel::Value::null();
  return typed(pack_[schema], schema, id);
}

cel::Value RuleValues::typed(const SchemaNode& schema, SchemaId id, NodeId place) const {
  const Node& n = node(place);
  const bool any_scalar = (schema.flags & (kIntOrString | kQuantity)) != 0;
  const bool described = n.is_map()   ? (schema.types & kObject) != 0
                         : n.is_seq() ? (schema.types & kArray) && schema.items != kNoLimit
                                      : schema.types != 0 || any_scalar;
  if (!described) return cel::Value::foreign(cel::Type::Opaque, this, place, id);
  switch (n.kind) {
    case Kind::Map:
      return cel::Value::foreign(cel::Type::Map, this, place, id);
    case Kind::Seq:
      return cel::Value::foreign(cel::Type::List, this, place, id);
    case Kind::String:
      return any_scalar ? cel::Value::string(n.text) : text(schema, n.text);
    case Kind::Int:
    case Kind::Float:
      return number(schema, n);
    case Kind::Bool:
      return cel::Value::boolean(n.text == "true");
    case Kind::Null:
      break;
  }
  return cel::Value::null();
}

cel::Value RuleValues::text(const SchemaNode& schema, std::string_view text) const {
  return rule_text(pack_.text(schema.format), text, heap_);
}

/// A `number` is a double even when it is written `3`; an integer may be written `3.0`.
cel::Value RuleValues::number(const SchemaNode& schema, const Node& n) const {
  if (schema.types & kNumber) return cel::Value::number(number_of(n));
  if (const auto whole = as_int64(n)) return cel::Value::integer(*whole);
  const double amount = number_of(n);
  const bool fits = is_integral(n) && amount >= -0x1p63 && amount < 0x1p63;
  return fits ? cel::Value::integer(static_cast<std::int64_t>(amount)) : cel::Value::number(amount);
}

/// An object has the fields of its schema; a map has any keys.
bool RuleValues::is_object(SchemaId schema) const {
  return schema == kMetadataSchema || pack_[schema].properties.count != 0 ||
         pack_[schema].additional == kNoLimit;
}

bool RuleValues::is_head(const cel::Value& map, std::string_view key) const {
  if (map.schema() == kMetadataSchema) return key == "name" || key == "generateName";
  const bool whole = map.node() == object_ || (pack_[map.schema()].flags & kEmbeddedResource);
  return whole && (key == "apiVersion" || key == "kind" || key == "metadata");
}

/// The schema of a field; kAnySchema for one that the schema does not have.
SchemaId RuleValues::schema_of(const cel::Value& map, std::string_view key) const {
  if (map.schema() == kMetadataSchema) return is_head(map, key) ? kTextSchema : kAnySchema;
  const SchemaNode& schema = pack_[map.schema()];
  const auto property = pack_.property(schema, key);
  const bool described = property && pack_[*property].types != 0;
  if (is_head(map, key) && (!described || pack_[*property].properties.count == 0)) {
    return key == "metadata" ? kMetadataSchema : kTextSchema;
  }
  if (property) return *property;
  return schema.additional == kNoLimit ? kAnySchema : schema.additional;
}

bool RuleValues::has_field(const cel::Value& map, std::string_view key) const {
  if (is_head(map, key)) return true;
  if (map.schema() == kMetadataSchema) return false;
  const SchemaNode& schema = pack_[map.schema()];
  return pack_.property(schema, key).has_value() || !is_object(map.schema());
}

/// A null is as good as nothing, but for the values of a map that may be null.
bool RuleValues::is_absent(const cel::Value& map, NodeId child) const {
  if (drops_status_ && map.node() == object_ && node(child).key == "status") return true;
  if (node(child).kind != Kind::Null) return false;
  if (is_object(map.schema())) return true;
  return !(pack_[pack_[map.schema()].additional].flags & kNullable);
}

/// The child, or the next one that is there: first those of the document, then defaults.
NodeId RuleValues::visible(const cel::Value& collection, NodeId child) const {
  if (collection.is(cel::Type::List)) return child;
  while (child != kNoNode && is_absent(collection, child)) {
    child = beside(child, node(child).next);
  }
  return child == kNoNode ? default_from(collection, 0) : child;
}

/// The default of the first property from a place on that has one and is not given.
NodeId RuleValues::default_from(const cel::Value& map, std::size_t property) const {
  if (map.schema() == kMetadataSchema) return kNoNode;
  const auto properties = pack_.properties(pack_[map.schema()]);
  for (; property < properties.size(); ++property) {
    if (pack_[properties[property].schema].default_value.size == 0) continue;
    const NodeId given =
        tree_of(map.node()).find(map.node() & ~kOfDefault, pack_.text(properties[property].name));
    if (given != kNoNode && !is_absent(map, beside(map.node(), given))) continue;
    const NodeId found = defaults_.node(properties[property]);
    if (found != kNoNode) return found | kOfDefault;
  }
  return kNoNode;
}

NodeId RuleValues::default_of(const cel::Value& map, std::string_view key) const {
  if (map.schema() == kMetadataSchema) return kNoNode;
  for (const SchemaProperty& each : pack_.properties(pack_[map.schema()])) {
    if (pack_.text(each.name) != key) continue;
    const NodeId found = defaults_.node(each);
    return found == kNoNode ? kNoNode : (found | kOfDefault);
  }
  return kNoNode;
}

std::size_t RuleValues::size(const cel::Value& collection) const {
  if (collection.is(cel::Type::List)) return node(collection.node()).size;
  std::size_t count = 0;
  for (NodeId at = first(collection); at != kNoNode; at = next(collection, at)) ++count;
  return count;
}

std::uint32_t RuleValues::first(const cel::Value& collection) const {
  return visible(collection, beside(collection.node(), node(collection.node()).first));
}

std::uint32_t RuleValues::next(const cel::Value& collection, std::uint32_t child) const {
  const bool whole_default = (child & kOfDefault) && defaults_.is_default(child & ~kOfDefault);
  if (!whole_default) return visible(collection, beside(child, node(child).next));
  const auto properties = pack_.properties(pack_[collection.schema()]);
  std::size_t index = 0;
  while (pack_.text(properties[index].name) != node(child).key) ++index;
  return default_from(collection, index + 1);
}

std::string_view RuleValues::key(const cel::Value&, std::uint32_t child) const {
  return node(child).key;
}

cel::Value RuleValues::value(const cel::Value& collection, std::uint32_t child) const {
  if (collection.is(cel::Type::List)) return value(pack_[collection.schema()].items, child);
  return value(schema_of(collection, node(child).key), child);
}

std::optional<cel::Value> RuleValues::find(const cel::Value& map, std::string_view key) const {
  const NodeId id = map.node();
  NodeId child = beside(id, tree_of(id).find(id & ~kOfDefault, key));
  if (child == kNoNode || is_absent(map, child)) child = default_of(map, key);
  if (child != kNoNode) return value(schema_of(map, key), child);
  return key == "name" ? generated_name(map) : std::nullopt;
}

/// The server makes a name from `generateName` before it asks the rules.
std::optional<cel::Value> RuleValues::generated_name(const cel::Value& map) const {
  if (object_ == kNoNode || map.node() != tree_.find(object_, "metadata")) return std::nullopt;
  const View prefix = View(tree_, map.node())["generateName"];
  if (prefix.text().empty()) return std::nullopt;
  return heap_.string(std::string(prefix.text().substr(0, kGenerateNameKept)) + "xxxxx");
}

cel::ListRule RuleValues::list_rule(std::uint32_t schema) const {
  switch (pack_[schema].list_type) {
    case ListType::Set:
      return cel::ListRule::Set;
    case ListType::Map:
      return pack_[schema].list_keys.count == 0 ? cel::ListRule::Plain : cel::ListRule::Keyed;
    default:
      return cel::ListRule::Plain;
  }
}

std::string_view RuleValues::list_key(std::uint32_t schema, std::size_t index) const {
  const auto keys = pack_.texts(pack_[schema].list_keys);
  return index < keys.size() ? pack_.text(keys[index]) : std::string_view();
}

bool RuleValues::same(const cel::Value& a, const cel::Value& b) const {
  const auto& x = static_cast<const RuleValues&>(*a.owner());
  const auto& y = static_cast<const RuleValues&>(*b.owner());
  return same_nodes(x.tree_of(a.node()), a.node() & ~kOfDefault, y.tree_of(b.node()),
                    b.node() & ~kOfDefault);
}

}  // namespace trainyard
