#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "cel/evaluation_context.h"
#include "cel/value.h"

namespace trainyard::cel {

enum class Style : unsigned char { Global, Member };  // f(a, b), a.f(b)

/// One function, or one overload of it. It is called with values only, never with an error; a
/// member has its receiver as the first argument.
struct Function {
  using Body = Value (*)(Context&, std::span<const Value> arguments);

  std::string_view name;  // `size`, `sets.contains`
  Style style = Style::Global;
  unsigned char least = 0;  // arguments, the receiver among them
  unsigned char most = 0;
  Type receiver = Type::Error;  // what the first argument must be; Error for anything
  Body body = nullptr;
};

// The libraries, each in the file of its name.
std::span<const Function> authorizer_functions();
std::span<const Function> conversion_functions();
std::span<const Function> format_functions();
std::span<const Function> ip_functions();
std::span<const Function> list_functions();
std::span<const Function> optional_functions();
std::span<const Function> quantity_functions();
std::span<const Function> regex_functions();
std::span<const Function> semver_functions();
std::span<const Function> set_functions();
std::span<const Function> string_functions();
std::span<const Function> time_functions();
std::span<const Function> url_functions();

/// All functions of all libraries.
std::vector<Function> all_functions();

/// The overloads that a call of this form may mean.
std::vector<const Function*> find_functions(std::string_view name, Style style,
                                            std::size_t arguments);
/// Whether anything has that name, however it is called.
bool is_function(std::string_view name, Style style);

/// The types by their names in expressions: `int`, `google.protobuf.Timestamp`, `net.IP`.
bool is_type_name(std::string_view name);

Value no_overload();

}  // namespace trainyard::cel
