#include "cel/operators.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cel/collections.h"
#include "cel/compare.h"
#include "cel/evaluation_context.h"
#include "cel/functions.h"
#include "cel/times.h"
#include "cel/value.h"

namespace trainyard::cel {
namespace {

void put(const Value& list, ListRule rule, const Value& item, std::vector<Value>& items) {
  if (rule != ListRule::Plain) {
    const auto found = std::ranges::find_if(items, [&](const Value& each) {
      return rule == ListRule::Set ? equal(each, item) : same_list_key(list, each, item);
    });
    if (found != items.end()) {
      if (rule == ListRule::Keyed) *found = item;
      return;
    }
  }
  items.push_back(item);
}

/// `a + b` of lists by the rule of `a`: a set takes what it does not have, a keyed list replaces
/// the items with the same key, any other list is prolonged.
Value merge_lists(const Value& a, const Value& b, Context& context) {
  const ListRule rule = a.owner() == nullptr ? ListRule::Plain : a.owner()->list_rule(a.schema());
  const std::size_t more = size_of(b);
  if (!context.spend(size_of(a) + more)) return out_of_budget();
  if (rule != ListRule::Plain && !context.spend(more * (size_of(a) + more))) return out_of_budget();
  std::vector<Value> items;
  items.reserve(size_of(a) + more);
  for (Walker at(a); at; at.next()) items.push_back(at.value());
  for (Walker at(b); at; at.next()) put(a, rule, at.value(), items);
  const Value merged = context.heap.list(items);
  return rule == ListRule::Plain ? merged : merged.ruled_by(a.owner(), a.schema());
}

Value overflow() {
  return Value::error("integer overflow");
}

Value int_arithmetic(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool fits = true;
  switch (op) {
    case Op::Add:
      fits = !__builtin_add_overflow(a, b, &result);
      break;
    case Op::Subtract:
      fits = !__builtin_sub_overflow(a, b, &result);
      break;
    case Op::Multiply:
      fits = !__builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) return Value::error(op == Op::Divide ? "division by zero" : "modulus by zero");
      if (b == -1 && a == INT64_MIN) return overflow();
      result = op == Op::Divide ? a / b : a % b;
  }
  return fits ? Value::integer(result) : overflow();
}

Value uint_arithmetic(Op op, std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  bool fits = true;
  switch (op) {
    case Op::Add:
      fits = !__builtin_add_overflow(a, b, &result);
      break;
    case Op::Subtract:
      fits = !__builtin_sub_overflow(a, b, &result);
      break;
    case Op::Multiply:
      fits = !__builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) return Value::error(op == Op::Divide ? "division by zero" : "modulus by zero");
      result = op == Op::Divide ? a / b : a % b;
  }
  return fits ? Value::unsigned_integer(result) : overflow();
}

Value double_arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::Add:
      return Value::number(a + b);
    case Op::Subtract:
      return Value::number(a - b);
    case Op::Multiply:
      return Value::number(a * b);
    case Op::Divide:
      return Value::number(a / b);
    default:
      return no_overload();
  }
}

Value arithmetic(Op op, const Value& a, const Value& b) {
  if (a.type() == b.type()) {
    switch (a.type()) {
      case Type::Int:
        return int_arithmetic(op, a.as_int(), b.as_int());
      case Type::Uint:
        return uint_arithmetic(op, a.as_uint(), b.as_uint());
      case Type::Double:
        return double_arithmetic(op, a.as_double(), b.as_double());
      default:
        break;
    }
  }
  if (op == Op::Subtract) return subtract_times(a, b);
  return no_overload();
}

Value ordering(Op op, const Value& a, const Value& b, Context& context) {
  if (a.is(Type::String) && !context.spend(a.text().size() / 16)) return out_of_budget();
  const std::optional<Order> order = compare(a, b);
  if (!order) return no_overload();
  switch (op) {
    case Op::Less:
      return Value::boolean(*order == Order::Less);
    case Op::LessEqual:
      return Value::boolean(*order == Order::Less || *order == Order::Equal);
    case Op::Greater:
      return Value::boolean(*order == Order::Greater);
    default:
      return Value::boolean(*order == Order::Greater || *order == Order::Equal);
  }
}

/// How many steps comparing a value takes at most.
bool spend_on(const Value& value, Context& context) {
  switch (value.type()) {
    case Type::String:
    case Type::Bytes:
      return context.spend(value.text().size() / 16);
    case Type::List:
    case Type::Map: {
      if (!context.spend(size_of(value))) return false;
      for (Walker at(value); at; at.next()) {
        if (!spend_on(at.value(), context)) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

Value equality(const Value& a, const Value& b, bool wanted, Context& context) {
  if (a.type() == b.type() && !spend_on(a, context)) return out_of_budget();
  return Value::boolean(equal(a, b) == wanted);
}

Value in(const Value& item, const Value& collection, Context& context) {
  if (collection.is(Type::Map)) {
    if (!collection.is_foreign() && !context.spend(size_of(collection))) return out_of_budget();
    return Value::boolean(find_key(collection, item).has_value());
  }
  if (!collection.is(Type::List)) return no_overload();
  for (Walker at(collection); at; at.next()) {
    if (!context.spend(1)) return out_of_budget();
    if (equal(at.value(), item)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value joined(const Value& a, const Value& b, Context& context) {
  const std::size_t size = a.text().size() + b.text().size();
  if (!context.spend(size / 8)) return out_of_budget();
  std::string text(a.text());
  text += b.text();
  const std::string_view kept = context.heap.text(text);
  return a.is(Type::String) ? Value::string(kept) : Value::bytes(kept);
}

}  // namespace

Value add(const Value& a, const Value& b, Context& context) {
  if (a.type() == b.type()) {
    if (a.is(Type::String) || a.is(Type::Bytes)) return joined(a, b, context);
    if (a.is(Type::List)) return merge_lists(a, b, context);
  }
  if (a.is_numeric()) return arithmetic(Op::Add, a, b);
  return add_times(a, b);
}

Value negate(const Value& a) {
  if (a.is(Type::Double)) return Value::number(-a.as_double());
  if (!a.is(Type::Int)) return no_overload();
  return a.as_int() == INT64_MIN ? overflow() : Value::integer(-a.as_int());
}

Value apply(Op op, const Value& a, const Value& b, Context& context) {
  switch (op) {
    case Op::Equal:
    case Op::NotEqual:
      return equality(a, b, op == Op::Equal, context);
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
      return ordering(op, a, b, context);
    case Op::In:
      return in(a, b, context);
    case Op::Add:
      return add(a, b, context);
    default:
      return arithmetic(op, a, b);
  }
}

}  // namespace trainyard::cel
