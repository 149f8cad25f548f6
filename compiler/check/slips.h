#pragma once

#include <string_view>

namespace trainyard {

/// Whether `word` is `known` with one slip of the pen: a letter too many, too few, another one or
/// two that are swapped; or but for capitals, `-` and `_` the same. False for the word itself. Much
/// stricter than what is suggested for a word of which it is known that it is wrong.
bool is_slip_of(std::string_view word, std::string_view known);

}  // namespace trainyard
