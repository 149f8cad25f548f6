#pragma once

#include "cel/foreign.h"
#include "tree/tree.h"

namespace trainyard::cel {

/// The documents of a tree as expressions see them where no schema says more: each value has the
/// type that it is written in, and a map has any keys. A field whose name an expression cannot
/// write is also found by its escaped name: `__namespace__`. The tree must outlive this and its
/// values.
class TreeValues : public Foreign {
 public:
  explicit TreeValues(const Tree& tree) : tree_(tree) {}

  /// Null for kNoNode.
  Value value(NodeId node) const;

  std::size_t size(const Value& collection) const override;
  std::uint32_t first(const Value& collection) const override;
  std::uint32_t next(const Value& collection, std::uint32_t child) const override;
  std::string_view key(const Value& map, std::uint32_t child) const override;
  Value value(const Value& collection, std::uint32_t child) const override;
  std::optional<Value> find(const Value& map, std::string_view key) const override;
  bool has_field(const Value& map, std::string_view key) const override;
  ListRule list_rule(std::uint32_t schema) const override;
  std::string_view list_key(std::uint32_t schema, std::size_t index) const override;
  bool same(const Value& a, const Value& b) const override;

 private:
  const Tree& tree_;
};

}  // namespace trainyard::cel
