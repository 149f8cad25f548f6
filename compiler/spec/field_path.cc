#include "spec/field_path.h"

#include <vector>

namespace trainyard {
namespace {

bool find_way(const Tree& tree, NodeId from, NodeId node, std::vector<NodeId>& way) {
  if (from == node) return true;
  for (NodeId child : tree.children(from)) {
    way.push_back(child);
    if (find_way(tree, child, node, way)) return true;
    way.pop_back();
  }
  return false;
}

std::size_t index_of(const Tree& tree, NodeId list, NodeId item) {
  std::size_t index = 0;
  for (NodeId child : tree.children(list)) {
    if (child == item) break;
    ++index;
  }
  return index;
}

}  // namespace

std::string field_path(const Tree& tree, NodeId root, NodeId node) {
  std::vector<NodeId> way;
  if (root == kNoNode || !find_way(tree, root, node, way)) return {};
  std::string path;
  NodeId parent = root;
  for (NodeId step : way) {
    if (tree[parent].is_seq()) {
      path.append("[").append(std::to_string(index_of(tree, parent, step))).append("]");
    } else {
      if (!path.empty()) path += '.';
      path += tree[step].key;
    }
    parent = step;
  }
  return path;
}

}  // namespace trainyard
