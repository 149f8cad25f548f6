#include <array>

#include "cel/collections.h"
#include "cel/compare.h"
#include "cel/functions.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

bool has_item(const Value& list, const Value& item) {
  for (Walker at(list); at; at.next()) {
    if (equal(at.value(), item)) return true;
  }
  return false;
}

bool has_all(const Value& list, const Value& items) {
  for (Walker at(items); at; at.next()) {
    if (!has_item(list, at.value())) return false;
  }
  return true;
}

bool spend(Context& context, Arguments a) {
  return context.spend(size_of(a[0]) * size_of(a[1]));
}

Value contains(Context& context, Arguments a) {
  if (!a[1].is(Type::List)) return no_overload();
  return spend(context, a) ? Value::boolean(has_all(a[0], a[1])) : out_of_budget();
}

Value equivalent(Context& context, Arguments a) {
  if (!a[1].is(Type::List)) return no_overload();
  if (!spend(context, a) || !spend(context, a)) return out_of_budget();
  return Value::boolean(has_all(a[0], a[1]) && has_all(a[1], a[0]));
}

Value intersects(Context& context, Arguments a) {
  if (!a[1].is(Type::List)) return no_overload();
  if (!spend(context, a)) return out_of_budget();
  for (Walker at(a[1]); at; at.next()) {
    if (has_item(a[0], at.value())) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"sets.contains", Style::Global, 2, 2, Type::List, contains},
    {"sets.equivalent", Style::Global, 2, 2, Type::List, equivalent},
    {"sets.intersects", Style::Global, 2, 2, Type::List, intersects},
});

}  // namespace

std::span<const Function> set_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
