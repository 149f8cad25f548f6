#pragma once

#include <memory>

#include "schema/pack.h"
#include "tree/node_bits.h"
#include "tree/tree.h"

namespace trainyard {

/// Tells whether objects are sound, as `Checker::check_object` does, and says nothing else of them.
/// Of an object that has the same nodes as a sound one, it looks only at those that differ.
///
/// That is certain, for what a schema says of a value depends on the value and on the keys above
/// it, and not on what stands elsewhere. Rules have a budget for the whole object, so wherever one
/// is asked it is asked again. Not for two threads at once.
class FormChecker {
 public:
  /// `pack` must outlive the checker.
  explicit FormChecker(const SchemaPack& pack);
  ~FormChecker();

  const SchemaPack& pack() const { return *pack_; }

  /// Whether there is nothing to say of an object. Adds the nodes in which rules are asked, and
  /// what they are in, to `ruled`.
  bool is_sound(const SchemaKind& kind, const Tree& tree, NodeId root, NodeBits& ruled);
  /// The same of an object that has the nodes of one of which `is_sound` held, with other texts of
  /// scalars; `open` are these scalars, what they are in, and the nodes that were `ruled` there.
  bool is_still_sound(const SchemaKind& kind, const Tree& tree, NodeId root, const NodeBits& open);

 private:
  struct State;

  const SchemaPack* pack_;
  std::unique_ptr<State> state_;
};

}  // namespace trainyard
