#include "cel/tree_values.h"

#include <cstdlib>
#include <string>

#include "cel/field_names.h"

namespace trainyard::cel {
namespace {

std::uint32_t child_or_none(NodeId id) {
  return id == kNoNode ? kNoChild : id;
}

}  // namespace

Value TreeValues::value(NodeId node) const {
  if (node == kNoNode) return Value::null();
  const Node& n = tree_[node];
  switch (n.kind) {
    case Kind::Map:
      return Value::foreign(Type::Map, this, node, 0);
    case Kind::Seq:
      return Value::foreign(Type::List, this, node, 0);
    case Kind::String:
      return Value::string(n.text);
    case Kind::Bool:
      return Value::boolean(n.text == "true");
    case Kind::Int:
      if (const auto whole = as_int64(n)) return Value::integer(*whole);
      [[fallthrough]];
    case Kind::Float:
      return Value::number(std::strtod(std::string(n.text).c_str(), nullptr));
    case Kind::Null:
      break;
  }
  return Value::null();
}

std::size_t TreeValues::size(const Value& collection) const {
  return tree_[collection.node()].size;
}

std::uint32_t TreeValues::first(const Value& collection) const {
  return child_or_none(tree_[collection.node()].first);
}

std::uint32_t TreeValues::next(const Value&, std::uint32_t child) const {
  return child_or_none(tree_[child].next);
}

std::string_view TreeValues::key(const Value&, std::uint32_t child) const {
  return tree_[child].key;
}

Value TreeValues::value(const Value&, std::uint32_t child) const {
  return value(child);
}

std::optional<Value> TreeValues::find(const Value& map, std::string_view key) const {
  NodeId found = tree_.find(map.node(), key);
  std::string name;
  if (found == kNoNode && key.find("__") != key.npos && unescape_field(key, name)) {
    found = tree_.find(map.node(), name);
  }
  if (found == kNoNode) return std::nullopt;
  return value(found);
}

bool TreeValues::has_field(const Value&, std::string_view) const {
  return true;
}

ListRule TreeValues::list_rule(std::uint32_t) const {
  return ListRule::Plain;
}

std::string_view TreeValues::list_key(std::uint32_t, std::size_t) const {
  return {};
}

bool TreeValues::same(const Value&, const Value&) const {
  return false;  // nothing here is Opaque
}

}  // namespace trainyard::cel
