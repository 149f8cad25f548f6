#include <algorithm>

#include "cel/collections.h"
#include "cel/compare.h"
#include "cel/evaluator.h"
#include "cel/functions.h"

namespace trainyard::cel {

/// Walks the range of a macro and sets its variables.
struct Evaluator::Loop {
  Loop(Evaluator& self, const Expr& macro)
      : evaluator(self), e(macro), range(self.operand(macro, 0)), at(range_or_nothing()) {
    set();
  }

  /// What is wrong with the range, if anything is.
  bool is_broken() const { return !range.is(Type::List) && !range.is(Type::Map); }
  Value fault() const { return range.is_error() ? range : no_overload(); }

  explicit operator bool() const { return static_cast<bool>(at); }
  void next() {
    at.next();
    set();
  }
  Value key() const { return at.key(); }

 private:
  Value range_or_nothing() const { return is_broken() ? Value::list(nullptr, 0) : range; }

  /// One variable is an item or a key; two are the index or the key, and the value.
  void set() {
    if (!at) return;
    Value* slots = &evaluator.slots_[e.data];
    const bool is_map = range.is(Type::Map);
    if (e.flags & kTwoVariables) {
      slots[0] = is_map ? at.key() : Value::integer(static_cast<std::int64_t>(at.index()));
      slots[1] = at.value();
    } else {
      slots[0] = is_map ? at.key() : at.value();
    }
  }

  Evaluator& evaluator;
  const Expr& e;
  Value range;
  Walker at;
};

/// `all` stops at false, `exists` at true; as with `&&` and `||`, errors count only if none does.
Value Evaluator::quantifier(const Expr& e, bool stops_at) {
  Value result = Value::boolean(!stops_at);
  Loop loop(*this, e);
  if (loop.is_broken()) return loop.fault();
  for (; loop; loop.next()) {
    const Value value = eval(result_of(e));
    if (context_.exhausted()) return out_of_budget();
    if (value.is(Type::Bool)) {
      if (value.as_bool() == stops_at) return value;
    } else if (!result.is_error()) {
      result = value.is_error() ? value : no_overload();
    }
  }
  return result;
}

Value Evaluator::exists_one(const Expr& e) {
  std::size_t count = 0;
  Loop loop(*this, e);
  if (loop.is_broken()) return loop.fault();
  for (; loop; loop.next()) {
    const Value value = eval(result_of(e));
    if (value.is_error()) return value;
    if (!value.is(Type::Bool)) return no_overload();
    if (value.as_bool()) ++count;
  }
  return Value::boolean(count == 1);
}

Value Evaluator::filter(const Expr& e) {
  std::vector<Value> items;
  Loop loop(*this, e);
  if (loop.is_broken()) return loop.fault();
  for (; loop; loop.next()) {
    const Value value = eval(result_of(e));
    if (value.is_error()) return value;
    if (!value.is(Type::Bool)) return no_overload();
    if (value.as_bool()) items.push_back(slots_[e.data]);
  }
  return context_.heap.list(items);
}

/// Whether the condition of a macro lets the current item through; the error when it is none.
std::optional<Value> Evaluator::taken(const Expr& e, bool& yes) {
  yes = true;
  if (!(e.flags & kHasCondition)) return std::nullopt;
  const Value value = operand(e, 1);
  if (value.is_error()) return value;
  if (!value.is(Type::Bool)) return no_overload();
  yes = value.as_bool();
  return std::nullopt;
}

Value Evaluator::transform(const Expr& e) {
  std::vector<Value> items;
  Loop loop(*this, e);
  if (loop.is_broken()) return loop.fault();
  for (; loop; loop.next()) {
    bool yes = false;
    if (const auto fault = taken(e, yes)) return *fault;
    if (!yes) continue;
    items.push_back(eval(result_of(e)));
    if (items.back().is_error()) return items.back();
  }
  return context_.heap.list(items);
}

Value Evaluator::transform_map(const Expr& e) {
  std::vector<Entry> entries;
  Loop loop(*this, e);
  if (loop.is_broken()) return loop.fault();
  const auto put = [&](const Value& key, const Value& value) {
    entries.push_back({key, value});
    return context_.spend(entries.size() / 4);
  };
  for (; loop; loop.next()) {
    bool yes = false;
    if (const auto fault = taken(e, yes)) return *fault;
    if (!yes) continue;
    const Value key = slots_[e.data];
    const Value value = eval(result_of(e));
    if (value.is_error()) return value;
    if (e.op == Op::TransformMap) {
      if (!put(key, value)) return out_of_budget();
      continue;
    }
    if (!value.is(Type::Map)) return no_overload();
    for (Walker at(value); at; at.next()) {
      const Value so_far = Value::map(entries.data(), entries.size());
      if (find_key(so_far, at.key())) return Value::error("a map with the same key twice");
      if (!put(at.key(), at.value())) return out_of_budget();
    }
  }
  return context_.heap.map(entries);
}

Value Evaluator::opt_map(const Expr& e) {
  const Value target = operand(e, 0);
  if (target.is_error()) return target;
  if (!target.is(Type::Optional)) return no_overload();
  if (target.item() == nullptr) return target;
  slots_[e.data] = *target.item();
  const Value result = eval(result_of(e));
  if (result.is_error()) return result;
  if (e.op == Op::OptMap) return context_.heap.some(result);
  return result.is(Type::Optional) ? result : no_overload();
}

Value Evaluator::sort_by(const Expr& e) {
  std::vector<Entry> keyed;
  Loop loop(*this, e);
  if (loop.is_broken()) return loop.fault();
  for (; loop; loop.next()) {
    const Value key = eval(result_of(e));
    if (key.is_error()) return key;
    if (!keyed.empty() && !compare(keyed[0].key, key)) return no_overload();
    keyed.push_back({key, slots_[e.data]});
    if (!context_.spend(8)) return out_of_budget();
  }
  std::ranges::stable_sort(
      keyed, [](const Entry& a, const Entry& b) { return compare(a.key, b.key) == Order::Less; });
  std::vector<Value> items;
  for (const Entry& each : keyed) items.push_back(each.value);
  return context_.heap.list(items);
}

}  // namespace trainyard::cel
