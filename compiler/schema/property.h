#pragma once

#include <string_view>

#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// The property of a name with its default; null when the schema has none.
inline const SchemaProperty* find_property(const SchemaPack& pack, const SchemaNode& schema,
                                           std::string_view name) {
  for (const SchemaProperty& each : pack.properties(schema)) {
    if (pack.text(each.name) == name) return &each;
  }
  return nullptr;
}

/// Whether a field is not written, or null: the server takes its default.
inline bool is_left_out(const Tree& tree, NodeId map, std::string_view name) {
  const NodeId child = tree.find(map, name);
  return child == kNoNode || tree[child].kind == Kind::Null;
}

}  // namespace trainyard
