#pragma once

#include <string_view>

#include "schema/pack.h"
#include "schema/rule_defaults.h"
#include "tree/tree.h"

namespace trainyard {

/// Tells whether a value of an object is unchanged from the object that it replaces, as the
/// API server compares the two: null fields are dropped, fields that are left out have their
/// defaults, and the items of a list that has keys are found by these.
///
/// A map with an entry that its schema does not describe is never as it was: the server finds
/// nothing to compare such an entry with.
/// kubernetes/apiserver pkg/cel/common/equality.go
class OldValueMatch {
 public:
  /// A node of one of the two objects, or of a default.
  struct Place {
    const Tree* tree = nullptr;
    NodeId node = kNoNode;

    explicit operator bool() const { return node != kNoNode; }
    const Node& operator*() const { return (*tree)[node]; }
    const Node* operator->() const { return &**this; }
  };

  OldValueMatch(const SchemaPack& pack, RuleDefaults& defaults)
      : pack_(pack), defaults_(defaults) {}

  bool same(SchemaId schema, Place now, Place before) const {
    return same(schema, now, before, true);
  }
  /// Whether two items of a list have the same keys. One without a key is like no other.
  bool same_keys(const SchemaNode& list, Place a, Place b) const;
  /// The value of a field, or its default.
  Place field(const SchemaNode& schema, Place map, std::string_view name) const;

 private:
  // `found_again` is false below a list whose items are not found again: it is compared as a whole.
  bool same(SchemaId schema, Place now, Place before, bool found_again) const;
  bool same_map(const SchemaNode& schema, Place now, Place before, bool found_again) const;
  bool same_list(const SchemaNode& schema, Place now, Place before, bool found_again) const;
  Place item_like(const SchemaNode& list, Place item, Place before) const;
  template <class Visit>
  bool each_entry(const SchemaNode& schema, Place map, Visit visit) const;
  std::uint32_t size(const SchemaNode& schema, Place map) const;
  SchemaId schema_of(const SchemaNode& schema, std::string_view key) const;
  bool is_dropped(const SchemaNode& schema, const Node& entry) const;

  const SchemaPack& pack_;
  RuleDefaults& defaults_;
};

}  // namespace trainyard
