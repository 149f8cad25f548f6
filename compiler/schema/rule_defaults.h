#pragma once

#include <unordered_map>
#include <vector>

#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// The defaults of fields as nodes of a tree, each made when a rule first reads the field.
class RuleDefaults {
 public:
  explicit RuleDefaults(const SchemaPack& pack) : pack_(&pack) {}

  const Tree& tree() const { return tree_; }
  /// The node of a property's default, with the property's name as its key; kNoNode without one.
  NodeId node(const SchemaProperty& property);
  /// The same node, marked as one of this tree and not of the document.
  NodeId mark(const SchemaProperty& property) {
    const NodeId found = node(property);
    return found == kNoNode ? kNoNode : (found | kMark);
  }
  static constexpr NodeId kMark = 0x80000000;
  /// Whether a node is such a default, and not part of one.
  bool is_default(NodeId node) const { return node < whole_.size() && whole_[node]; }

 private:
  const SchemaPack* pack_;
  Tree tree_;
  std::unordered_map<const SchemaProperty*, NodeId> nodes_;
  std::vector<bool> whole_;
};

}  // namespace trainyard
