#include "tree/tree_form.h"

namespace trainyard {

TreeForm::TreeForm(const Tree& tree) : root_(tree.root()), parents_(tree.size(), kNoNode) {
  nodes_.reserve(tree.size());
  for (NodeId id = 0; id < tree.size(); ++id) {
    Node& node = nodes_.emplace_back(tree[id]);
    node.text = arena_.intern(node.text);
    node.key = arena_.intern(node.key);
    for (NodeId child : tree.children(id)) parents_[child] = id;
  }
}

std::uint64_t TreeForm::look_of(const Tree& tree) {
  std::uint64_t look = tree.size();
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Node& node = tree[id];
    look = (look ^ node.keys ^ node.next) * 0x9e3779b97f4a7c15U;
  }
  return look;
}

bool TreeForm::fits(const Tree& tree, NodeBits& open) const {
  if (tree.size() != nodes_.size() || tree.root() != root_) return false;
  open.clear(nodes_.size());
  const auto count = static_cast<NodeId>(nodes_.size());
  for (NodeId id = 0; id < count; ++id) {
    const Node& node = tree[id];
    const Node& known = nodes_[id];
    if (!has_form_of(node, known)) return false;
    if (same_text(node.text, known.text)) continue;
    for (NodeId each = id; each != kNoNode && !open.has(each); each = parents_[each]) {
      open.add(each);
    }
  }
  return true;
}

}  // namespace trainyard
