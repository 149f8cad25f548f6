#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// A set of nodes of one tree.
class NodeBits {
 public:
  NodeBits() = default;
  explicit NodeBits(std::size_t nodes) : words_((nodes + 63) / 64) {}

  bool has(NodeId id) const { return (words_[id / 64] >> id % 64 & 1) != 0; }
  void add(NodeId id) { words_[id / 64] |= std::uint64_t{1} << id % 64; }
  /// Calls `found` with each node, in order.
  template <class Found>
  void each(Found found) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t bits = words_[i]; bits != 0; bits &= bits - 1) {
        found(static_cast<NodeId>(i * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
      }
    }
  }
  friend bool operator==(const NodeBits&, const NodeBits&) = default;
  /// Whether a node is in both.
  bool meets(const NodeBits& other) const {
    const std::size_t count =
        words_.size() < other.words_.size() ? words_.size() : other.words_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  /// Whether a node is in this and not in `other`.
  bool has_more_than(const NodeBits& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t others = i < other.words_.size() ? other.words_[i] : 0;
      if ((words_[i] & ~others) != 0) return true;
    }
    return false;
  }
  void add_all(const NodeBits& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void clear(std::size_t nodes) { words_.assign((nodes + 63) / 64, 0); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace trainyard
