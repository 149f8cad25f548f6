#include <array>

#include "cel/collections.h"
#include "cel/functions.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

bool is_zero(const Value& v) {
  switch (v.type()) {
    case Type::Null:
      return true;
    case Type::Bool:
      return !v.as_bool();
    case Type::Int:
    case Type::Duration:
      return v.as_int() == 0;
    case Type::Uint:
      return v.as_uint() == 0;
    case Type::Double:
      return v.as_double() == 0;
    case Type::String:
    case Type::Bytes:
      return v.text().empty();
    case Type::List:
    case Type::Map:
      return size_of(v) == 0;
    case Type::Optional:
      return v.item() == nullptr;
    default:
      return false;
  }
}

Value of(Context& context, Arguments a) {
  return context.heap.some(a[0]);
}

Value none(Context&, Arguments) {
  return Value::optional(nullptr);
}

Value of_non_zero(Context& context, Arguments a) {
  return is_zero(a[0]) ? Value::optional(nullptr) : context.heap.some(a[0]);
}

Value has_value(Context&, Arguments a) {
  return Value::boolean(a[0].item() != nullptr);
}

Value value(Context&, Arguments a) {
  return a[0].item() != nullptr ? *a[0].item() : Value::error("optional.none() dereference");
}

Value or_value(Context&, Arguments a) {
  return a[0].item() != nullptr ? *a[0].item() : a[1];
}

Value or_else(Context&, Arguments a) {
  if (!a[1].is(Type::Optional)) return no_overload();
  return a[0].item() != nullptr ? a[0] : a[1];
}

constexpr auto kFunctions = std::to_array<Function>({
    {"optional.of", Style::Global, 1, 1, Type::Error, of},
    {"optional.none", Style::Global, 0, 0, Type::Error, none},
    {"optional.ofNonZeroValue", Style::Global, 1, 1, Type::Error, of_non_zero},
    {"hasValue", Style::Member, 1, 1, Type::Optional, has_value},
    {"value", Style::Member, 1, 1, Type::Optional, value},
    {"orValue", Style::Member, 2, 2, Type::Optional, or_value},
    {"or", Style::Member, 2, 2, Type::Optional, or_else},
});

}  // namespace

std::span<const Function> optional_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
