#include "tree/digest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace trainyard {

namespace {

constexpr std::size_t kFewChildren = 32;  // up to here no memory is asked for

void hash_size(Sha256& hash, std::size_t size) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, size).ptr;
  hash.update_field({digits, static_cast<std::size_t>(end - digits)});
}

void hash_map(Sha256& hash, const Tree& tree, NodeId map) {
  std::array<NodeId, kFewChildren> few;
  std::vector<NodeId> many;
  const std::size_t size = tree[map].size;
  NodeId* begin = few.data();
  if (size > kFewChildren) {
    many.resize(size);
    begin = many.data();
  }
  NodeId* end = begin;
  for (NodeId child : tree.children(map)) *end++ = child;
  std::sort(begin, end, [&](NodeId a, NodeId b) { return tree[a].key < tree[b].key; });
  hash_size(hash, size);
  for (const NodeId* child = begin; child != end; ++child) {
    hash.update_field(tree[*child].key);
    hash_tree(hash, tree, *child);
  }
}

}  // namespace

void hash_tree(Sha256& hash, const Tree& tree, NodeId root) {
  const Node& node = tree[root];
  const char kind = static_cast<char>('0' + static_cast<int>(node.kind));
  hash.update_field({&kind, 1});
  if (node.is_scalar()) {
    hash.update_field(node.text);
    return;
  }
  if (node.is_map()) return hash_map(hash, tree, root);
  hash_size(hash, node.size);
  for (NodeId child : tree.children(root)) hash_tree(hash, tree, child);
}

}  // namespace trainyard
