#pragma once

#include "schema/frame.h"
#include "schema/rule_defaults.h"

namespace trainyard {

/// A document as it was before, for the rules about changes.
struct OldDocument {
  const Tree* tree = nullptr;  // null when there is none: the object is new
  NodeId root = kNoNode;
  bool ratchets = false;  // what is wrong in it may stay as it is
};

/// Finds the values of an object in the document that it is to replace.
class OldValues {
 public:
  OldValues(const SchemaPack& pack, RuleDefaults& defaults, const Tree& tree, OldDocument old)
      : pack_(pack), defaults_(defaults), tree_(tree), old_(old) {}

  const OldDocument& document() const { return old_; }
  bool is_new() const { return old_.tree == nullptr; }

  /// The value that a place had before, which may have been the default: then a marked node of
  /// RuleDefaults. kNoNode when there was none.
  NodeId value(const Frame& at) const;
  /// The value that stood at a place before: by name in maps, by its keys in a list that has keys,
  /// and not to be told in any other list.
  NodeId node(const Frame& at) const;

 private:
  const SchemaProperty* default_of(const Frame& at) const;

  const SchemaPack& pack_;
  RuleDefaults& defaults_;
  const Tree& tree_;
  OldDocument old_;
};

}  // namespace trainyard
