#pragma once

#include <cstdint>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Deep equality as JSON knows it: the order of map entries does not count.
bool same_value(const Tree& tree, NodeId a, NodeId b);
/// Equal values have equal hashes.
std::uint64_t value_hash(const Tree& tree, NodeId id);
/// Whether a node has the value of a JSON text of the schema.
bool is_json(const Tree& tree, NodeId id, std::string_view json);

/// The value of an Int or Float node; an Int beyond 64 bits is rounded.
double number_of(const Node& node);
bool is_integral(const Node& node);

}  // namespace trainyard
