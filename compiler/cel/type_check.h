#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cel/program.h"
#include "cel/types.h"

namespace trainyard::cel {

/// What cannot be, whatever the values are: a field that does not exist, a text that is added to a
/// number.
struct TypeFault {
  std::string message;
  std::uint32_t position = 0;       // in the text
  std::string name;                 // the field that does not exist, if it is one
  std::vector<std::string> fields;  // those that do
};

struct Typed {
  TypeRef type = nullptr;          // of the expression's value
  std::optional<TypeFault> fault;  // the first one
};

/// Works out of what type an expression is, as the API server does when it compiles one.
/// `variables` are the types of those that it was compiled with, in their order. Where we cannot
/// tell, nothing is wrong.
Typed check_types(const Program& program, std::span<const TypeRef> variables, Types& types);

}  // namespace trainyard::cel
