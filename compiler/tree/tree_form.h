#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "source/text_equal.h"
#include "tree/node_bits.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether two nodes are alike apart from the text of a scalar: with the same links they are the
/// same node of trees of one form.
inline bool has_form_of(const Node& node, const Node& other) {
  // In one go: they are the same nearly always.
  const std::uint64_t differ = (node.keys ^ other.keys) | (node.first ^ other.first) |
                               (node.last ^ other.last) | (node.next ^ other.next) |
                               (node.size ^ other.size);
  return differ == 0 && node.kind == other.kind && same_text(node.key, other.key);
}

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
