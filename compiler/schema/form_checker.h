#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "schema/names.h"
#include "schema/pack.h"
#include "tree/node_bits.h"
#include "tree/tree.h"

namespace trainyard {

class Walk;

/// What the head of an object holds that has a rule beside its schema.
enum class HeadPart : std::uint8_t { None, Name, Namespace, LabelValue, Annotation };

/// What is known of a sound object, for others that have the same nodes.
struct SoundForm {
  /// The nodes in which rules are asked, and what they are in.
  NodeBits ruled;
  /// By node: the schema that alone judges the text of a scalar; kNoLimit where what is around it
  /// looks at it too, as the list whose key it is does.
  std::vector<SchemaId> judges;
  std::vector<NodeId> parents;  // by node; kNoNode for the root
  std::vector<HeadPart> head;   // by node; of the object itself
  Fault (*why_not_name)(std::string_view) = nullptr;
  std::size_t annotation_room = 0;  // bytes that may come to its annotations
};

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

  /// Whether there is nothing to say of an object; then `form` has what is known of it.
  bool is_sound(const SchemaKind& kind, const Tree& tree, NodeId root, SoundForm& form);
  /// The same of an object that has the nodes of one of which `is_sound` held, with other texts of
  /// the scalars that are among `different`; what they are in may be there too.
  bool is_still_sound(const SchemaKind& kind, const Tree& tree, NodeId root,
                      const NodeBits& different, const SoundForm& form);

  /// The same of a document that has a schema and is no object.
  bool is_sound(SchemaId schema, const Tree& tree, NodeId root, SoundForm& form);
  bool is_still_sound(SchemaId schema, const Tree& tree, NodeId root, const NodeBits& different,
                      const SoundForm& form);

 private:
  struct State;

  void begin(const Tree& tree, SoundForm& form);
  /// Looks at what the schema alone judges; the rest is `looked_at_` then.
  void judge(const SchemaKind* kind, const Tree& tree, const NodeBits& different,
             const SoundForm& form, Walk& walk);
  const SchemaPack* pack_;
  std::unique_ptr<State> state_;
  NodeBits looked_at_;
};

}  // namespace trainyard
