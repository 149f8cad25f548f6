#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/pack.h"

namespace trainyard {

/// The growing tables of a pack. Equal texts, lists and nodes get the same place.
class PackTables {
 public:
  PackTables();

  PackText text(std::string_view text);
  PackRange texts(const std::vector<PackText>& list);
  PackRange ids(const std::vector<SchemaId>& list);
  PackRange rules(const std::vector<SchemaRule>& list);
  /// Sorts `list` by name.
  PackRange properties(std::vector<SchemaProperty> list);
  SchemaId node(const SchemaNode& node);

  /// A node to be set later, for schemas that contain themselves.
  SchemaId reserve();
  void set(SchemaId id, const SchemaNode& node) { nodes_[id] = node; }

  const SchemaNode& operator[](SchemaId id) const { return nodes_[id]; }
  const std::vector<SchemaProperty>& all_properties() const { return properties_; }
  std::string_view view(PackText t) const {
    return std::string_view(strings_).substr(t.offset, t.size);
  }

  /// The image, with these kinds and definitions sorted by group, version and name.
  std::string image(std::vector<SchemaKind> kinds, std::vector<SchemaKind> definitions) const;

 private:
  void sort(std::vector<SchemaKind>& kinds) const;

  using Index = std::unordered_map<std::string, std::uint32_t>;  // bytes of records -> place
  template <class Record>
  PackRange range(const std::vector<Record>& list, std::vector<Record>& table, Index& index);

  std::vector<SchemaNode> nodes_;
  std::vector<SchemaProperty> properties_;
  std::vector<PackText> texts_;
  std::vector<SchemaId> ids_;
  std::vector<SchemaRule> rules_;
  std::string strings_;
  Index text_index_, node_index_, property_lists_, text_lists_, id_lists_, rule_lists_;
};

}  // namespace trainyard
