#include "editor/yaml_outline.h"

#include <algorithm>

#include "editor/outline_reader.h"

namespace trainyard {

std::string_view without_quotes(std::string_view scalar) {
  if (scalar.empty() || (scalar.front() != '"' && scalar.front() != '\'')) return scalar;
  const char quote = scalar.front();
  scalar.remove_prefix(1);
  if (scalar.ends_with(quote)) scalar.remove_suffix(1);
  return scalar;
}

Outline::Outline(std::string_view text) : text_(text), nodes_(read_outline(text)) {}

std::optional<std::uint32_t> Outline::at(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(nodes_, offset, {}, &OutlineNode::begin);
  for (auto node = static_cast<std::uint32_t>(behind - nodes_.begin()); node-- > 0;) {
    const OutlineNode& each = nodes_[node];
    if (each.kind == OutlineNode::Kind::Document) return std::nullopt;
    if (offset <= each.end) return node;
    // A value that is still to be typed may be behind spaces.
    if (offset <= each.value_end) return node;
    if (each.last < offset && each.column == 0) return std::nullopt;
  }
  return std::nullopt;
}

bool Outline::is_on_key(std::uint32_t node, std::size_t offset) const {
  const OutlineNode& each = nodes_[node];
  return each.kind != OutlineNode::Kind::Item && offset >= each.begin && offset <= each.end;
}

std::string_view Outline::key(std::uint32_t node) const {
  const OutlineNode& each = nodes_[node];
  if (each.kind == OutlineNode::Kind::Item || each.kind == OutlineNode::Kind::Document) return {};
  return without_quotes(text_.substr(each.begin, each.end - each.begin));
}

std::string_view Outline::value(std::uint32_t node) const {
  const OutlineNode& each = nodes_[node];
  return without_quotes(text_.substr(each.value, each.value_end - each.value));
}

std::uint32_t Outline::document_of(std::uint32_t node) const {
  while (nodes_[node].parent != OutlineNode::kNone) node = nodes_[node].parent;
  return node;
}

std::optional<std::uint32_t> Outline::child(std::uint32_t parent, std::string_view wanted) const {
  for (std::uint32_t node = parent + 1; node < nodes_.size(); ++node) {
    if (nodes_[node].kind == OutlineNode::Kind::Document) break;
    if (nodes_[node].parent == parent && key(node) == wanted) return node;
  }
  return std::nullopt;
}

std::string_view Outline::heading(std::uint32_t document, std::string_view wanted) const {
  const auto found = child(document, wanted);
  return found ? value(*found) : std::string_view();
}

std::vector<std::uint32_t> Outline::path(std::uint32_t node) const {
  std::vector<std::uint32_t> steps;
  for (; nodes_[node].parent != OutlineNode::kNone; node = nodes_[node].parent) {
    steps.push_back(node);
  }
  std::ranges::reverse(steps);
  return steps;
}

}  // namespace trainyard
