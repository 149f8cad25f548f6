#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// Where a walk is: a node on the stack, linked to the node above it. Paths are only written when
/// something is wrong.
struct Frame {
  const Frame* up = nullptr;
  NodeId node = kNoNode;
  std::uint32_t index = kNoLimit;      // in a list; kNoLimit for a map entry and for the root
  const SchemaNode* schema = nullptr;  // the structural schema of the node

  bool in_map() const { return up != nullptr && index == kNoLimit; }
  bool in_list() const { return index != kNoLimit; }
};

/// `spec.template.spec.containers[0].image`; "" for the root.
std::string path_of(const Tree& tree, const Frame& at);
/// Appends a step into a map: `.name`, or `["a.b"]`.
void append_key(std::string_view key, std::string& path);

/// Whether a field of an object is one that every object has.
inline bool is_head_field(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

}  // namespace trainyard
