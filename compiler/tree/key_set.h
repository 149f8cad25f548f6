#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "tree/tree.h"

namespace trainyard {

/// The keys of one map while it is read, to find repeated ones.
class KeySet {
 public:
  /// False when the entries that `map` has so far hold `key` already.
  bool add(const Tree& tree, NodeId map, std::string_view key) {
    if (tree[map].size >= kIndexFrom) return add_to_index(tree, map, key);
    return tree.find(map, key) == kNoNode;
  }

 private:
  static constexpr std::size_t kIndexFrom = 16;

  bool add_to_index(const Tree& tree, NodeId map, std::string_view key) {
    if (index_ == nullptr) {
      index_ = std::make_unique<std::unordered_set<std::string_view>>();
      for (NodeId child : tree.children(map)) index_->insert(tree[child].key);
    }
    return index_->insert(key).second;
  }

  std::unique_ptr<std::unordered_set<std::string_view>> index_;  // of a large map
};

}  // namespace trainyard
