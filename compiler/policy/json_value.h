#pragma once

#include <cstddef>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

// Values as JSON Schema sees them.

bool is_number(const Node& node);
/// 1.0 is an integer, too.
bool is_integer(const Node& node);
/// Negative, zero or positive, as the first is less than, equal to or greater than the second.
int compare_numbers(const Node& a, const Node& b);
/// Zero, however it is written.
bool is_zero(const Node& node);
bool is_multiple(const Node& number, const Node& of);
/// The entry of a map. A search walks over the entries, so it takes a step for each 16 of them;
/// with too few steps left it takes all of them and finds nothing.
NodeId find_within(const Tree& tree, NodeId map, std::string_view key, std::size_t& steps);
/// Equal in the sense of JSON: numbers by value, maps in any order.
bool json_equal(const Tree& a, NodeId x, const Tree& b, NodeId y, std::size_t& steps);
/// In characters, not bytes.
std::size_t characters(std::string_view text);

}  // namespace trainyard
