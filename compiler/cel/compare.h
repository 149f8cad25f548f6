#pragma once

#include <optional>

#include "cel/value.h"

namespace trainyard::cel {

/// CEL's `==`: values of different types are not equal, but numbers compare by amount. The left
/// list decides whether order counts.
bool equal(const Value& a, const Value& b);

enum class Order : signed char { Less = -1, Equal = 0, Greater = 1, None = 2 };

/// The order of two values; nothing when the types have no common order, None when one is NaN.
std::optional<Order> compare(const Value& a, const Value& b);

/// Whether two items of a Keyed list are the same item.
bool same_list_key(const Value& list, const Value& a, const Value& b);

/// The order of two numbers by amount, whatever their types.
Order compare_numbers(const Value& a, const Value& b);

}  // namespace trainyard::cel
