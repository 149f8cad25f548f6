#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/node_bits.h"
#include "tree/tree.h"

namespace trainyard {

/// The nodes of one tree, to compare others with: trees of the same form have the same nodes, and
/// differ in nothing but the texts of scalars.
class TreeForm {
 public:
  explicit TreeForm(const Tree& tree);

  /// The same number for trees of the same form; those of others may share it.
  static std::uint64_t look_of(const Tree& tree);
  /// Whether `tree` has this form. Fills `open` with the scalars that have other texts, and the
  /// nodes that these are in.
  bool fits(const Tree& tree, NodeBits& open) const;

 private:
  NodeId root_;
  Arena arena_;
  std::vector<Node> nodes_;
  std::vector<NodeId> parents_;
};

}  // namespace trainyard
