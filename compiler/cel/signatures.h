#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cel/functions.h"
#include "cel/types.h"

namespace trainyard::cel {

/// What one overload of a function takes and gives. Types are words: `int`, `list(T)`, where `T`
/// stands for any one type, and `dyn` for whatever there is.
struct Signature {
  std::string_view name;
  Style style = Style::Global;
  std::string_view takes;  // `string, int`; of a member with what it is called on in front
  std::string_view gives;
};

/// Of all libraries. google/cel-go common/stdlib/standard.go, ext/; kubernetes/apiserver
/// pkg/cel/library/
std::span<const Signature> signatures();

/// The words of `takes`, one for each argument.
std::vector<std::string_view> argument_words(const Signature& signature);

/// The type of a word; `parameter` is what `T` stands for.
TypeRef type_of_word(std::string_view word, TypeRef parameter, Types& types);

}  // namespace trainyard::cel
