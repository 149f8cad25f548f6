#pragma once

#include <string_view>

#include "check/inventory.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether `word` is `known` with one slip of the pen: a letter too many, too few, another one or
/// two that are swapped; or but for capitals, `-` and `_` the same. False for the word itself. Much
/// stricter than what is suggested for a word of which it is known that it is wrong.
bool is_slip_of(std::string_view word, std::string_view known);

/// The one object whose name is a slip away from that of an object that is not among the inputs; an
/// empty view where the object is there, or none or several are near. Names of less than four
/// characters, and those that differ in digits alone, say nothing.
View near_object(const Inventory& inventory, std::string_view group, std::string_view kind,
                 std::string_view name_space, std::string_view name);

/// The object of this name in another namespace, where none is in the one that is asked for, nor
/// one that is in no namespace yet; an empty view for none.
View object_elsewhere(const Inventory& inventory, std::string_view group, std::string_view kind,
                      std::string_view name_space, std::string_view name);

}  // namespace trainyard
