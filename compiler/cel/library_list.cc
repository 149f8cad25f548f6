#include <algorithm>
#include <array>

#include "cel/collections.h"
#include "cel/compare.h"
#include "cel/functions.h"
#include "cel/operators.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

std::vector<Value> items_of(const Value& list) {
  std::vector<Value> items;
  items.reserve(size_of(list));
  for (Walker at(list); at; at.next()) items.push_back(at.value());
  return items;
}

Value is_sorted(Context& context, Arguments a) {
  std::optional<Value> before;
  for (Walker at(a[0]); at; at.next()) {
    const Value item = at.value();
    if (!context.spend(1)) return out_of_budget();
    const auto order = compare(before.value_or(item), item);
    if (!order) return no_overload();
    if (*order == Order::Greater) return Value::boolean(false);
    before = item;
  }
  return Value::boolean(true);
}

Value sum(Context& context, Arguments a) {
  Value total = Value::integer(0);
  for (Walker at(a[0]); at; at.next()) {
    const Value item = at.value();
    if (!item.is_numeric() && !item.is(Type::Duration)) return no_overload();
    total = at.index() == 0 ? item : add(total, item, context);
    if (total.is_error() || !context.spend(1)) return total;
  }
  return total;
}

template <Order wanted>
Value extreme(Context& context, Arguments a) {
  std::optional<Value> best;
  for (Walker at(a[0]); at; at.next()) {
    const Value item = at.value();
    if (!context.spend(1)) return out_of_budget();
    const auto order = compare(item, best.value_or(item));
    if (!order) return no_overload();
    if (!best || *order == wanted) best = item;
  }
  return best ? *best : Value::error("the list is empty");
}

template <bool last>
Value index_of(Context& context, Arguments a) {
  std::int64_t found = -1;
  for (Walker at(a[0]); at; at.next()) {
    if (!context.spend(1)) return out_of_budget();
    if (!equal(at.value(), a[1])) continue;
    found = static_cast<std::int64_t>(at.index());
    if (!last) break;
  }
  return Value::integer(found);
}

Value slice(Context& context, Arguments a) {
  if (!a[1].is(Type::Int) || !a[2].is(Type::Int)) return no_overload();
  const std::int64_t first = a[1].as_int();
  const std::int64_t end = a[2].as_int();
  const std::size_t size = size_of(a[0]);
  const bool fits = first >= 0 && first <= end && static_cast<std::size_t>(end) <= size;
  if (!fits) return Value::error("the slice is not within the list");
  if (!context.spend(size)) return out_of_budget();
  const std::vector<Value> items = items_of(a[0]);
  return context.heap.list({items.begin() + first, items.begin() + end});
}

bool flatten_into(const Value& list, std::int64_t depth, Context& context,
                  std::vector<Value>& items) {
  for (Walker at(list); at; at.next()) {
    const Value item = at.value();
    if (!context.spend(1)) return false;
    if (item.is(Type::List) && depth > 0) {
      if (!flatten_into(item, depth - 1, context, items)) return false;
    } else {
      items.push_back(item);
    }
  }
  return true;
}

Value flatten(Context& context, Arguments a) {
  if (a.size() == 2 && !a[1].is(Type::Int)) return no_overload();
  const std::int64_t depth = a.size() == 2 ? a[1].as_int() : 1;
  if (depth < 0) return Value::error("the depth is negative");
  std::vector<Value> items;
  return flatten_into(a[0], depth, context, items) ? context.heap.list(items) : out_of_budget();
}

Value distinct(Context& context, Arguments a) {
  std::vector<Value> items;
  for (Walker at(a[0]); at; at.next()) {
    const Value item = at.value();
    if (!context.spend(1 + items.size())) return out_of_budget();
    const bool known =
        std::ranges::any_of(items, [&](const Value& each) { return equal(each, item); });
    if (!known) items.push_back(item);
  }
  return context.heap.list(items);
}

Value reverse(Context& context, Arguments a) {
  if (!context.spend(size_of(a[0]))) return out_of_budget();
  std::vector<Value> items = items_of(a[0]);
  std::ranges::reverse(items);
  return context.heap.list(items);
}

Value sort(Context& context, Arguments a) {
  if (!context.spend(size_of(a[0]) * 8)) return out_of_budget();
  std::vector<Value> items = items_of(a[0]);
  for (const Value& item : items) {
    const bool fits = item.type() == items[0].type() && compare(items[0], item);
    if (!fits) return Value::error("the items of the list have no order");
  }
  std::ranges::stable_sort(
      items, [](const Value& x, const Value& y) { return compare(x, y) == Order::Less; });
  return context.heap.list(items);
}

Value range(Context& context, Arguments a) {
  const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(a[0].as_int(), 0));
  if (!context.spend(size)) return out_of_budget();
  std::vector<Value> items;
  for (std::uint64_t i = 0; i < size; ++i) {
    items.push_back(Value::integer(static_cast<std::int64_t>(i)));
  }
  return context.heap.list(items);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"isSorted", Style::Member, 1, 1, Type::List, is_sorted},
    {"sum", Style::Member, 1, 1, Type::List, sum},
    {"min", Style::Member, 1, 1, Type::List, extreme<Order::Less>},
    {"max", Style::Member, 1, 1, Type::List, extreme<Order::Greater>},
    {"indexOf", Style::Member, 2, 2, Type::List, index_of<false>},
    {"lastIndexOf", Style::Member, 2, 2, Type::List, index_of<true>},
    {"slice", Style::Member, 3, 3, Type::List, slice},
    {"flatten", Style::Member, 1, 2, Type::List, flatten},
    {"distinct", Style::Member, 1, 1, Type::List, distinct},
    {"reverse", Style::Member, 1, 1, Type::List, reverse},
    {"sort", Style::Member, 1, 1, Type::List, sort},
    {"lists.range", Style::Global, 1, 1, Type::Int, range},
});

}  // namespace

std::span<const Function> list_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
