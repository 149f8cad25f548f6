#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "tree/tree.h"

namespace trainyard {

/// Finds entries of one map, many of them: what it costs grows with the size of the map, not with
/// its square. The map must not change meanwhile.
class EntryIndex {
 public:
  /// `map` may be kNoNode, which has no entries.
  EntryIndex(const Tree& tree, NodeId map) : tree_(&tree), map_(map) {
    if (map == kNoNode || tree[map].size <= kFew) return;
    for (NodeId entry : tree.children(map)) by_key_.emplace(tree[entry].key, entry);
  }
  /// A value that is not there, or is no map, has no entries.
  explicit EntryIndex(View value)
      : EntryIndex(value ? value.tree() : kEmpty, value && value->is_map() ? value.id() : kNoNode) {
  }

  /// kNoNode when there is none.
  NodeId find(std::string_view key) const {
    if (map_ == kNoNode) return kNoNode;
    if (by_key_.empty()) return tree_->find(map_, key);
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? kNoNode : found->second;
  }
  View operator[](std::string_view key) const { return {*tree_, find(key)}; }

 private:
  static constexpr std::uint32_t kFew = 16;
  inline static const Tree kEmpty;
  const Tree* tree_;
  NodeId map_;
  std::unordered_map<std::string_view, NodeId> by_key_;
};

}  // namespace trainyard
