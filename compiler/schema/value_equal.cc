#include "schema/value_equal.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "source/number_text.h"

namespace trainyard {
namespace {

/// 0x, 0o and 0b integers, which YAML has and from_chars does not read; NaN for anything else.
double prefixed_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() < 3 || text[0] != '0') return std::nan("");
  const int base = text[1] == 'x' ? 16 : text[1] == 'o' ? 8 : text[1] == 'b' ? 2 : 0;
  if (base == 0) return std::nan("");
  const auto value = read_number<std::uint64_t>(text.substr(2), base);
  if (!value) return std::nan("");
  return negative ? -static_cast<double>(*value) : static_cast<double>(*value);
}

double special_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool infinite = text == ".inf" || text == ".Inf" || text == ".INF";
  if (!infinite) return std::nan("");
  return negative ? -HUGE_VAL : HUGE_VAL;
}

bool is_number(const Node& node) {
  return node.kind == Kind::Int || node.kind == Kind::Float;
}

bool same_map(const Tree& tree, NodeId a, NodeId b) {
  if (tree[a].size != tree[b].size) return false;
  for (NodeId entry : tree.children(a)) {
    const NodeId other = tree.find(b, tree[entry].key);
    if (other == kNoNode || !same_value(tree, entry, other)) return false;
  }
  return true;
}

bool same_list(const Tree& tree, NodeId a, NodeId b) {
  if (tree[a].size != tree[b].size) return false;
  for (NodeId x = tree[a].first, y = tree[b].first; x != kNoNode;
       x = tree[x].next, y = tree[y].next) {
    if (!same_value(tree, x, y)) return false;
  }
  return true;
}

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 30U;
  value *= 0xbf58476d1ce4e5b9U;
  return value ^ (value >> 27U);
}

bool equals_json(const Tree& tree, NodeId id, const nlohmann::json& json) {
  const Node& node = tree[id];
  switch (node.kind) {
    case Kind::Null:
      return json.is_null();
    case Kind::Bool:
      return json.is_boolean() && json.get<bool>() == (node.text == "true");
    case Kind::Int:
    case Kind::Float:
      return json.is_number() && json.get<double>() == number_of(node);
    case Kind::String:
      return json.is_string() && json.get_ref<const std::string&>() == node.text;
    case Kind::Seq: {
      if (!json.is_array() || json.size() != node.size) return false;
      std::size_t index = 0;
      for (NodeId item : tree.children(id)) {
        if (!equals_json(tree, item, json[index++])) return false;
      }
      return true;
    }
    case Kind::Map:
      if (!json.is_object() || json.size() != node.size) return false;
      for (NodeId entry : tree.children(id)) {
        const auto other = json.find(std::string(tree[entry].key));
        if (other == json.end() || !equals_json(tree, entry, *other)) return false;
      }
      return true;
  }
  return false;
}

}  // namespace

double number_of(const Node& node) {
  if (const auto integer = as_int64(node)) return static_cast<double>(*integer);
  std::string_view text = node.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end == text.data() + text.size()) {
    if (error == std::errc()) return value;
    // Out of range; only the direction matters to a limit.
    if (error == std::errc::result_out_of_range) {
      const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos;
      return tiny ? 0 : text.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
    }
  }
  const double prefixed = prefixed_number(node.text);
  return std::isnan(prefixed) ? special_number(node.text) : prefixed;
}

bool is_integral(const Node& node) {
  const double value = number_of(node);
  return std::isfinite(value) && value == std::trunc(value);
}

bool same_value(const Tree& tree, NodeId a, NodeId b) {
  const Node& x = tree[a];
  const Node& y = tree[b];
  if (is_number(x) && is_number(y)) return x.text == y.text || number_of(x) == number_of(y);
  if (x.kind != y.kind) return false;
  if (x.is_map()) return same_map(tree, a, b);
  if (x.is_seq()) return same_list(tree, a, b);
  return x.text == y.text;
}

std::uint64_t value_hash(const Tree& tree, NodeId id) {
  const Node& node = tree[id];
  if (is_number(node)) return std::hash<double>()(number_of(node));
  std::uint64_t hash = std::hash<std::string_view>()(node.text);
  for (NodeId child : tree.children(id)) {
    const std::uint64_t below = mixed(value_hash(tree, child) + 1);
    // The entries of a map are summed up, so that their order does not count.
    hash = node.is_map() ? hash + mixed(below ^ std::hash<std::string_view>()(tree[child].key))
                         : mixed(hash) + below;
  }
  return hash;
}

bool is_json(const Tree& tree, NodeId id, std::string_view json) {
  const Node& node = tree[id];
  if (json.empty()) return false;
  if (node.kind == Kind::String) {
    if (json.front() != '"') return false;
    const std::string_view inside = json.substr(1, json.size() - 2);
    if (inside.find('\\') == std::string_view::npos) return inside == node.text;
  } else if (node.is_scalar()) {
    if (json == (node.kind == Kind::Null ? "null" : node.text)) return true;
    if (!is_number(node)) return false;
  }
  return equals_json(tree, id, nlohmann::json::parse(json, nullptr, false));
}

}  // namespace trainyard
