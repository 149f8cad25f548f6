#include "tree/node_paths.h"

#include <string_view>
#include <vector>

namespace trainyard {
namespace {

void append_step(const Tree& tree, NodeId node, bool item, std::uint32_t index, std::string& path) {
  if (item) {
    path += "[" + std::to_string(index) + "]";
    return;
  }
  const std::string_view key = tree[node].key;
  if (key.find_first_of("./[]\" ") != std::string_view::npos) {
    path.append("[\"").append(key).append("\"]");
    return;
  }
  if (!path.empty()) path += '.';
  path += key;
}

/// The nodes on the way from `from` down to `to`, the last one first: by search, for only what is
/// reported needs one. False when `to` is not below `from`.
bool find_steps(const Tree& tree, NodeId from, NodeId to, std::vector<NodeId>& steps) {
  for (NodeId child : tree.children(from)) {
    if (child != to && !find_steps(tree, child, to, steps)) continue;
    steps.push_back(child);
    return true;
  }
  return false;
}

}  // namespace

void FindingPaths::start(View root) {
  root_ = root;
  asked_ = 0;
  up_.clear();
}

bool FindingPaths::find(NodeId to, std::string& path) {
  if (to == root_.id()) return true;
  constexpr std::size_t kFew = 8;
  if (++asked_ <= kFew) return search(to, path);
  if (up_.empty()) write_down(root_.id());
  if (!up_.contains(to)) return false;
  std::vector<NodeId> steps;
  for (NodeId at = to; at != root_.id(); at = up_.at(at).parent) steps.push_back(at);
  for (std::size_t i = steps.size(); i-- > 0;) append(steps[i], up_.at(steps[i]), path);
  return true;
}

bool FindingPaths::search(NodeId to, std::string& path) const {
  const Tree& tree = root_.tree();
  std::vector<NodeId> steps;
  if (!find_steps(tree, root_.id(), to, steps)) return false;
  NodeId parent = root_.id();
  for (std::size_t i = steps.size(); i-- > 0; parent = steps[i]) {
    std::uint32_t index = 0;
    for (NodeId each = tree[parent].first; each != steps[i]; each = tree[each].next) ++index;
    append(steps[i], {parent, index}, path);
  }
  return true;
}

void FindingPaths::append(NodeId step, const Up& up, std::string& path) const {
  const Tree& tree = root_.tree();
  append_step(tree, step, tree[up.parent].is_seq(), up.index, path);
}

void FindingPaths::write_down(NodeId parent) {
  std::uint32_t index = 0;
  for (NodeId child : root_.tree().children(parent)) {
    up_.emplace(child, Up{parent, index++});
    write_down(child);
  }
}

}  // namespace trainyard
