#pragma once

#include <cstdint>
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
    // Keys that differ in length or at their ends mostly have bits of their own.
    const std::uint64_t bit = std::uint64_t{1} << (hash(key) & 63);
    const bool maybe_known = (seen_ & bit) != 0;
    seen_ |= bit;
    return !maybe_known || tree.find(map, key) == kNoNode;
  }

 private:
  static constexpr std::size_t kIndexFrom = 16;

  static std::uint32_t hash(std::string_view key) {
    if (key.empty()) return 0;
    const auto byte = [&key](std::size_t i) {
      return std::uint32_t{static_cast<unsigned char>(key[i])};
    };
    return byte(0) * 7 + byte(key.size() / 2) * 31 + byte(key.size() - 1) * 3 +
           static_cast<std::uint32_t>(key.size()) * 13;
  }

  bool add_to_index(const Tree& tree, NodeId map, std::string_view key) {
    if (index_ == nullptr) {
      index_ = std::make_unique<std::unordered_set<std::string_view>>();
      for (NodeId child : tree.children(map)) index_->insert(tree[child].key);
    }
    return index_->insert(key).second;
  }

  std::uint64_t seen_ = 0;
  std::unique_ptr<std::unordered_set<std::string_view>> index_;  // of a large map
};

}  // namespace trainyard
