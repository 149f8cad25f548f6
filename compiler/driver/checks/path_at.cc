#include "driver/checks/path_at.h"

#include "tree/node_paths.h"

namespace trainyard {

std::string path_at(View root, Span span) {
  FindingPaths paths;
  paths.start(root);
  const Tree& tree = root.tree();
  for (NodeId id = 0; id < tree.size(); ++id) {
    if (tree[id].span != span && tree[id].key_span != span) continue;
    std::string path;
    if (paths.find(id, path) && !path.empty()) return path;
  }
  return {};
}

}  // namespace trainyard
