#pragma once

#include <string_view>

#include "tree/tree.h"
#include "tree/typed_fields.h"

namespace trainyard {

/// Whether a path ends with another one, in which `*` is any step: `spec.storage.data` ends with
/// `storage.*`. An index at its end does not count.
bool path_ends_with(std::string_view path, std::string_view end);

/// Our name of a field or value that other tools name `word`; "" for none. `at` is the path of the
/// value, or of the map that has the field. What `holder` has already is not meant.
std::string_view other_word(std::string_view at, std::string_view word, View holder);

/// Whether another tool has a field of exactly this name there.
bool is_other_word(std::string_view at, std::string_view word);

/// The path of the field that a field of another tool is here, in another place; "" for none.
std::string_view other_place(std::string_view at, std::string_view word);

}  // namespace trainyard
