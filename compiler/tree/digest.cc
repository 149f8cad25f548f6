#include "tree/digest.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace trainyard {

void hash_tree(Sha256& hash, const Tree& tree, NodeId root) {
  const Node& node = tree[root];
  const char kind = static_cast<char>('0' + static_cast<int>(node.kind));
  hash.update_field({&kind, 1});
  if (node.is_scalar()) {
    hash.update_field(node.text);
    return;
  }
  std::vector<NodeId> children;
  children.reserve(node.size);
  for (NodeId child : tree.children(root)) children.push_back(child);
  if (node.is_map()) {
    std::sort(children.begin(), children.end(),
              [&](NodeId a, NodeId b) { return tree[a].key < tree[b].key; });
  }
  hash.update_field(std::to_string(children.size()));
  for (NodeId child : children) {
    if (node.is_map()) hash.update_field(tree[child].key);
    hash_tree(hash, tree, child);
  }
}

}  // namespace trainyard
