#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// Where a node came to stand in the written text.
struct WrittenNode {
  NodeId node = kNoNode;
  std::uint32_t begin = 0;  // of the key, or of the value of a list item
  std::uint32_t end = 0;    // after the value, before the line break
};

/// Appends `tree` below `root` to `out` as block-style YAML that every YAML 1.1 and 1.2 reader
/// takes for the same value. Ends with a line break; writes no `---`. The same tree gives the same
/// bytes. Entries are written in the order they have in the tree.
///
/// With `written`, appends the place of each node, in order of `begin`.
void write_yaml(const Tree& tree, NodeId root, std::string& out,
                std::vector<WrittenNode>* written = nullptr);

}  // namespace trainyard
