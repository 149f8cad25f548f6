#pragma once

#include "cel/foreign.h"
#include "cel/heap.h"
#include "schema/pack.h"
#include "schema/rule_defaults.h"
#include "tree/tree.h"

namespace trainyard {

/// A document as CEL rules see it: the schema says which type a value has and which fields there
/// are; a field that is left out has its default. What the schema does not describe can be compared
/// and nothing else.
///
/// kubernetes/apiserver pkg/cel/common/valuesunstructured.go, pkg/cel/common/schemas.go
class RuleValues : public cel::Foreign {
 public:
  /// `object` is a whole object, whose `metadata.name` rules may read whatever its schema says;
  /// kNoNode when the document is none. With `drops_status` its `status` is not there for them.
  RuleValues(const SchemaPack& pack, RuleDefaults& defaults, const Tree& tree, NodeId object,
             cel::Heap& heap, bool drops_status = false)
      : pack_(pack),
        defaults_(defaults),
        tree_(tree),
        object_(object),
        heap_(heap),
        drops_status_(drops_status) {}

  cel::Value value(SchemaId schema, NodeId node) const;

  std::size_t size(const cel::Value& collection) const override;
  std::uint32_t first(const cel::Value& collection) const override;
  std::uint32_t next(const cel::Value& collection, std::uint32_t child) const override;
  std::string_view key(const cel::Value& map, std::uint32_t child) const override;
  cel::Value value(const cel::Value& collection, std::uint32_t child) const override;
  std::optional<cel::Value> find(const cel::Value& map, std::string_view key) const override;
  bool has_field(const cel::Value& map, std::string_view key) const override;
  cel::ListRule list_rule(std::uint32_t schema) const override;
  std::string_view list_key(std::uint32_t schema, std::size_t index) const override;
  bool same(const cel::Value& a, const cel::Value& b) const override;

 private:
  // A node is one of the document, or with this bit one of a default.
  static constexpr NodeId kOfDefault = RuleDefaults::kMark;
  // Beyond the schemas of the pack: what rules may read of the metadata of an object.
  static constexpr SchemaId kTextSchema = 0xfffffff0;
  static constexpr SchemaId kMetadataSchema = 0xfffffff1;

  const Tree& tree_of(NodeId id) const { return (id & kOfDefault) ? defaults_.tree() : tree_; }
  const Node& node(NodeId id) const { return tree_of(id)[id & ~kOfDefault]; }
  /// The id of a node of the same tree as `id`.
  static NodeId beside(NodeId id, NodeId found) {
    return found == kNoNode ? kNoNode : (found | (id & kOfDefault));
  }

  bool is_object(SchemaId schema) const;
  bool is_head(const cel::Value& map, std::string_view key) const;
  SchemaId schema_of(const cel::Value& map, std::string_view key) const;
  bool is_absent(const cel::Value& map, NodeId child) const;
  NodeId visible(const cel::Value& collection, NodeId child) const;
  NodeId default_from(const cel::Value& map, std::size_t property) const;
  NodeId default_of(const cel::Value& map, std::string_view key) const;
  std::optional<cel::Value> generated_name(const cel::Value& map) const;
  cel::Value typed(const SchemaNode& schema, SchemaId id, NodeId node) const;
  cel::Value text(const SchemaNode& schema, std::string_view text) const;
  cel::Value number(const SchemaNode& schema, const Node& node) const;

  const SchemaPack& pack_;
  RuleDefaults& defaults_;
  const Tree& tree_;
  NodeId object_;
  cel::Heap& heap_;
  bool drops_status_;
};

}  // namespace trainyard
