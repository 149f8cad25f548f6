#include "policy/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace trainyard {
namespace {

double value_of(const Node& node) {
  std::string_view text = node.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too large, or too small to differ from zero.
    const bool small = text.find("e-") != text.npos || text.find("E-") != text.npos;
    value = small ? 0 : HUGE_VAL;
    if (text.starts_with('-')) value = -value;
  }
  return value;
}

}  // namespace

bool is_number(const Node& node) {
  return node.kind == Kind::Int || node.kind == Kind::Float;
}

bool is_integer(const Node& node) {
  if (node.kind == Kind::Int) return true;
  return node.kind == Kind::Float && std::isfinite(value_of(node)) &&
         std::trunc(value_of(node)) == value_of(node);
}

bool is_zero(const Node& node) {
  return value_of(node) == 0;
}

int compare_numbers(const Node& a, const Node& b) {
  const auto x = as_int64(a);
  const auto y = as_int64(b);
  if (a.kind == Kind::Int && b.kind == Kind::Int && x && y) return *x < *y ? -1 : (*x > *y ? 1 : 0);
  const double u = value_of(a);
  const double v = value_of(b);
  return u < v ? -1 : (u > v ? 1 : 0);
}

bool is_multiple(const Node& number, const Node& of) {
  const auto x = as_int64(number);
  const auto y = as_int64(of);
  if (number.kind == Kind::Int && of.kind == Kind::Int && x && y) {
    return *y != 0 && (*y == -1 || *x % *y == 0);
  }
  const double quotient = value_of(number) / value_of(of);
  return std::isfinite(quotient) && std::abs(quotient - std::round(quotient)) < 1e-9;
}

NodeId find_within(const Tree& tree, NodeId map, std::string_view key, std::size_t& steps) {
  if (map == kNoNode) return kNoNode;
  const std::size_t cost = tree[map].size / 16;
  if (cost >= steps) {
    steps = 0;
    return kNoNode;
  }
  steps -= cost;
  return tree.find(map, key);
}

bool json_equal(const Tree& a, NodeId x, const Tree& b, NodeId y, std::size_t& steps) {
  if (steps == 0) return false;
  --steps;
  const Node& u = a[x];
  const Node& v = b[y];
  if (is_number(u) || is_number(v)) {
    return is_number(u) && is_number(v) && compare_numbers(u, v) == 0;
  }
  if (u.kind != v.kind || u.size != v.size) return false;
  if (u.is_scalar()) return u.text == v.text;
  if (u.is_map()) {
    for (NodeId child : a.children(x)) {
      const NodeId other = find_within(b, y, a[child].key, steps);
      if (other == kNoNode || !json_equal(a, child, b, other, steps)) return false;
    }
    return true;
  }
  NodeId other = v.first;
  for (NodeId child : a.children(x)) {
    if (!json_equal(a, child, b, other, steps)) return false;
    other = b[other].next;
  }
  return true;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

}  // namespace trainyard
