#include <string>

#include "cel/collections.h"
#include "cel/evaluator.h"
#include "cel/field_names.h"
#include "cel/functions.h"

namespace trainyard::cel {
namespace {

Value no_such_key(std::string_view key, Context& context) {
  return context.heap.error("no such key: " + std::string(key));
}

/// A field that an expression may see; nothing when it is absent.
std::optional<Value> field_of(const Value& map, std::string_view name) {
  if (!map.is_foreign()) return find_key(map, Value::string(name));
  if (map.owner()->has_field(map, name)) return map.owner()->find(map, name);
  std::string plain;
  if (!unescape_field(name, plain) || !map.owner()->has_field(map, plain)) return std::nullopt;
  return map.owner()->find(map, plain);
}

bool is_key(const Value& key) {
  return key.is(Type::Bool) || key.is_numeric() || key.is(Type::String);
}

std::optional<std::int64_t> as_index(const Value& key) {
  if (key.is(Type::Int)) return key.as_int();
  if (key.is(Type::Uint) && key.as_uint() <= INT64_MAX) {
    return static_cast<std::int64_t>(key.as_uint());
  }
  if (!key.is(Type::Double)) return std::nullopt;
  const double number = key.as_double();
  if (!(number >= -0x1p53 && number <= 0x1p53)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? std::optional(whole) : std::nullopt;
}

enum class Access : unsigned char { Found, Missing, Impossible };

/// An item of a list or the value of a key. The value is the error when there is none.
Access access(const Value& collection, const Value& key, Context& context, Value& value) {
  if (collection.is(Type::List)) {
    const auto index = as_index(key);
    if (!index) {
      value = Value::error("unsupported index type");
      return Access::Impossible;
    }
    if (*index < 0 || static_cast<std::size_t>(*index) >= size_of(collection)) {
      value = context.heap.error("index out of bounds: " + std::to_string(*index));
      return Access::Missing;
    }
    const auto place = static_cast<std::size_t>(*index);
    if (collection.is_foreign() && !context.spend(place / 4)) {
      value = out_of_budget();
      return Access::Impossible;
    }
    value = item_at(collection, place);
    return Access::Found;
  }
  if (!collection.is(Type::Map) || !is_key(key)) {
    value = no_overload();
    return Access::Impossible;
  }
  if (!collection.is_foreign() && !context.spend(size_of(collection) / 4)) {
    value = out_of_budget();
    return Access::Impossible;
  }
  if (const auto found = find_key(collection, key)) {
    value = *found;
    return Access::Found;
  }
  value = key.is(Type::String) ? no_such_key(key.text(), context) : Value::error("no such key");
  return Access::Missing;
}

/// What an optional access makes of its result: absence is `none`, but a mistake stays one.
Value as_optional(Access access, const Value& value, Context& context) {
  if (access == Access::Missing) return Value::optional(nullptr);
  if (access == Access::Impossible || value.is_error()) return value;
  return context.heap.some(value);
}

Value optional_field(const Value& target, std::string_view name, Context& context) {
  if (!target.is(Type::Map)) return no_overload();
  const auto found = field_of(target, name);
  return as_optional(found ? Access::Found : Access::Missing, found.value_or(Value()), context);
}

}  // namespace

Value Evaluator::select(const Expr& e) {
  const Value target = operand(e, 0);
  if (target.is_error()) return target;
  if (target.is(Type::Optional)) {
    if (target.item() == nullptr) return target;
    return optional_field(*target.item(), program_.name(e), context_);
  }
  if (!target.is(Type::Map)) return no_overload();
  const auto found = field_of(target, program_.name(e));
  return found ? *found : no_such_key(program_.name(e), context_);
}

Value Evaluator::optional_select(const Expr& e) {
  const Value target = operand(e, 0);
  if (target.is_error()) return target;
  if (!target.is(Type::Optional)) return optional_field(target, program_.name(e), context_);
  if (target.item() == nullptr) return target;
  return optional_field(*target.item(), program_.name(e), context_);
}

Value Evaluator::has(const Expr& e) {
  Value target = operand(e, 0);
  if (target.is_error()) return target;
  if (target.is(Type::Optional)) {
    if (target.item() == nullptr) return Value::boolean(false);
    target = *target.item();
  }
  if (!target.is(Type::Map)) return no_overload();
  return Value::boolean(field_of(target, program_.name(e)).has_value());
}

Value Evaluator::index(const Expr& e) {
  const Value target = operand(e, 0);
  if (target.is_error()) return target;
  const Value key = operand(e, 1);
  if (key.is_error()) return key;
  Value value;
  if (target.is(Type::Optional)) {
    if (target.item() == nullptr) return target;
    const Access result = access(*target.item(), key, context_, value);
    return as_optional(result, value, context_);
  }
  access(target, key, context_, value);
  return value;
}

Value Evaluator::optional_index(const Expr& e) {
  const Value target = operand(e, 0);
  if (target.is_error()) return target;
  const Value key = operand(e, 1);
  if (key.is_error()) return key;
  const bool wrapped = target.is(Type::Optional);
  if (wrapped && target.item() == nullptr) return target;
  Value value;
  const Access result = access(wrapped ? *target.item() : target, key, context_, value);
  return as_optional(result, value, context_);
}

/// Adds the item of an optional, if it has one. The error when it is no optional.
std::optional<Value> Evaluator::add_optional(const Value& item, std::vector<Value>& items) {
  if (!item.is(Type::Optional)) return no_overload();
  if (item.item() != nullptr) items.push_back(*item.item());
  return std::nullopt;
}

Value Evaluator::list(const Expr& e) {
  std::vector<Value> items;
  items.reserve(e.count);
  for (std::size_t i = 0; i < e.count; ++i) {
    const Value item = operand(e, i);
    if (item.is_error()) return item;
    if ((e.flags & kOptionalItems) && program_.is_optional_item(e, i)) {
      if (const auto fault = add_optional(item, items)) return *fault;
    } else {
      items.push_back(item);
    }
  }
  return context_.heap.list(items);
}

Value Evaluator::map(const Expr& e) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i + 1 < e.count; i += 2) {
    const Value key = operand(e, i);
    if (key.is_error()) return key;
    if (!is_key(key) || key.is(Type::Double)) return Value::error("unsupported key type");
    std::vector<Value> values = {operand(e, i + 1)};
    if (values[0].is_error()) return values[0];
    if ((e.flags & kOptionalItems) && program_.is_optional_item(e, i / 2)) {
      const Value optional = values[0];
      values.clear();
      if (const auto fault = add_optional(optional, values)) return *fault;
    }
    const Value so_far = Value::map(entries.data(), entries.size());
    if (!context_.spend(entries.size() / 4)) return out_of_budget();
    if (find_key(so_far, key)) return Value::error("a map with the same key twice");
    if (!values.empty()) entries.push_back({key, values[0]});
  }
  return context_.heap.map(entries);
}

}  // namespace trainyard::cel
