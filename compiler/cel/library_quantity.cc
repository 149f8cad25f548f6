#include <array>

#include "cel/functions.h"
#include "tree/quantity.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

Value kept(Context& context, const std::optional<Quantity>& quantity) {
  if (!quantity) return Value::error("the quantity is out of range");
  return Value::quantity(context.heap.keep(*quantity));
}

Value quantity(Context& context, Arguments a) {
  const auto parsed = Quantity::parse(a[0].text());
  if (parsed) return kept(context, parsed);
  return context.heap.error("`" + std::string(a[0].text()) + "` is no quantity");
}

Value is_quantity(Context&, Arguments a) {
  return Value::boolean(Quantity::parse(a[0].text()).has_value());
}

/// The amount as an int, if it is a whole one that fits.
std::optional<std::int64_t> whole(const Quantity& q) {
  const auto units = q.whole_units();
  return units && Quantity::of(*units) == q ? units : std::nullopt;
}

Value is_integer(Context&, Arguments a) {
  return Value::boolean(whole(a[0].as_quantity()).has_value());
}

Value as_integer(Context&, Arguments a) {
  const auto units = whole(a[0].as_quantity());
  return units ? Value::integer(*units) : Value::error("cannot convert value to integer");
}

Value as_float(Context&, Arguments a) {
  return Value::number(a[0].as_quantity().approximate());
}

std::int64_t order(const Quantity& a, const Quantity& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

Value sign(Context&, Arguments a) {
  return Value::integer(order(a[0].as_quantity(), Quantity()));
}

Value compare_to(Context&, Arguments a) {
  if (!a[1].is(Type::Quantity)) return no_overload();
  return Value::integer(order(a[0].as_quantity(), a[1].as_quantity()));
}

Value is_less_than(Context&, Arguments a) {
  if (!a[1].is(Type::Quantity)) return no_overload();
  return Value::boolean(a[0].as_quantity() < a[1].as_quantity());
}

Value is_greater_than(Context&, Arguments a) {
  if (!a[1].is(Type::Quantity)) return no_overload();
  return Value::boolean(a[1].as_quantity() < a[0].as_quantity());
}

/// The second operand of `add` and `sub`: a quantity or an int.
std::optional<Quantity> operand(const Value& value) {
  if (value.is(Type::Quantity)) return value.as_quantity();
  if (value.is(Type::Int)) return Quantity::of(value.as_int(), Quantity::Format::Exponent);
  return std::nullopt;
}

Value plus(Context& context, Arguments a) {
  const auto other = operand(a[1]);
  return other ? kept(context, add(a[0].as_quantity(), *other)) : no_overload();
}

Value minus(Context& context, Arguments a) {
  const auto other = operand(a[1]);
  if (!other) return no_overload();
  const auto negative = multiply(*other, -1);
  return kept(context, negative ? add(a[0].as_quantity(), *negative) : std::nullopt);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"quantity", Style::Global, 1, 1, Type::String, quantity},
    {"isQuantity", Style::Global, 1, 1, Type::String, is_quantity},
    {"isInteger", Style::Member, 1, 1, Type::Quantity, is_integer},
    {"asInteger", Style::Member, 1, 1, Type::Quantity, as_integer},
    {"asApproximateFloat", Style::Member, 1, 1, Type::Quantity, as_float},
    {"sign", Style::Global, 1, 1, Type::Quantity, sign},
    {"compareTo", Style::Member, 2, 2, Type::Quantity, compare_to},
    {"isLessThan", Style::Member, 2, 2, Type::Quantity, is_less_than},
    {"isGreaterThan", Style::Member, 2, 2, Type::Quantity, is_greater_than},
    {"add", Style::Member, 2, 2, Type::Quantity, plus},
    {"sub", Style::Member, 2, 2, Type::Quantity, minus},
});

}  // namespace

std::span<const Function> quantity_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
