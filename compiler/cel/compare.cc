#include "cel/compare.h"

#include <cmath>
#include <compare>
#include <cstring>

#include "cel/collections.h"
#include "cel/version.h"

namespace trainyard::cel {
namespace {

template <class T>
Order order(const T& a, const T& b) {
  if (a < b) return Order::Less;
  return b < a ? Order::Greater : Order::Equal;
}

Order reversed(Order order) {
  return order == Order::None ? order : static_cast<Order>(-static_cast<signed char>(order));
}

Order order_int_uint(std::int64_t a, std::uint64_t b) {
  return a < 0 ? Order::Less : order(static_cast<std::uint64_t>(a), b);
}

Order order_double_double(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? Order::None : order(a, b);
}

/// Where both are in range they compare as doubles, which rounds large integers: cel-go does so,
/// and the conformance suite asks for it.
Order order_int_double(std::int64_t a, double b) {
  if (b > 0x1p63) return Order::Less;
  if (b < -0x1p63) return Order::Greater;
  return order_double_double(static_cast<double>(a), b);
}

Order order_uint_double(std::uint64_t a, double b) {
  if (b > 0x1p64) return Order::Less;
  if (b < 0) return Order::Greater;
  return order_double_double(static_cast<double>(a), b);
}

bool same_items(const Value& a, const Value& b) {
  Walker y(b);
  for (Walker x(a); x; x.next(), y.next()) {
    if (!equal(x.value(), y.value())) return false;
  }
  return true;
}

bool contains(const Value& list, const Value& item) {
  for (Walker at(list); at; at.next()) {
    if (equal(at.value(), item)) return true;
  }
  return false;
}

bool same_set(const Value& a, const Value& b) {
  for (Walker at(b); at; at.next()) {
    if (!contains(a, at.value())) return false;
  }
  return true;
}

bool same_keyed(const Value& a, const Value& b) {
  for (Walker y(b); y; y.next()) {
    const Value wanted = y.value();
    bool found = false;
    for (Walker x(a); x && !found; x.next()) {
      found = same_list_key(a, x.value(), wanted) && equal(x.value(), wanted);
    }
    if (!found) return false;
  }
  return true;
}

bool same_list(const Value& a, const Value& b) {
  if (size_of(a) != size_of(b)) return false;
  switch (a.owner() == nullptr ? ListRule::Plain : a.owner()->list_rule(a.schema())) {
    case ListRule::Set:
      return same_set(a, b);
    case ListRule::Keyed:
      return same_keyed(a, b);
    case ListRule::Plain:
      break;
  }
  return same_items(a, b);
}

bool same_map(const Value& a, const Value& b) {
  if (size_of(a) != size_of(b)) return false;
  for (Walker at(a); at; at.next()) {
    const std::optional<Value> other = find_key(b, at.key());
    if (!other || !equal(at.value(), *other)) return false;
  }
  return true;
}

bool same_address(const Address& a, const Address& b) {
  return a.size == b.size && a.prefix == b.prefix && std::memcmp(a.bytes, b.bytes, a.size) == 0;
}

bool same_optional(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return equal(*a, *b);
}

}  // namespace

bool same_list_key(const Value& list, const Value& a, const Value& b) {
  if (!a.is(Type::Map) || !b.is(Type::Map)) return false;
  for (std::size_t i = 0;; ++i) {
    const std::string_view name = list.owner()->list_key(list.schema(), i);
    if (name.empty()) return i > 0;
    const std::optional<Value> x = find_key(a, Value::string(name));
    const std::optional<Value> y = find_key(b, Value::string(name));
    if (x.has_value() != y.has_value()) return false;
    if (x && !equal(*x, *y)) return false;
  }
}

Order compare_numbers(const Value& a, const Value& b) {
  switch (a.type()) {
    case Type::Int:
      if (b.is(Type::Int)) return order(a.as_int(), b.as_int());
      if (b.is(Type::Uint)) return order_int_uint(a.as_int(), b.as_uint());
      return order_int_double(a.as_int(), b.as_double());
    case Type::Uint:
      if (b.is(Type::Int)) return reversed(order_int_uint(b.as_int(), a.as_uint()));
      if (b.is(Type::Uint)) return order(a.as_uint(), b.as_uint());
      return order_uint_double(a.as_uint(), b.as_double());
    default:
      if (b.is(Type::Int)) return reversed(order_int_double(b.as_int(), a.as_double()));
      if (b.is(Type::Uint)) return reversed(order_uint_double(b.as_uint(), a.as_double()));
      return order_double_double(a.as_double(), b.as_double());
  }
}

bool equal(const Value& a, const Value& b) {
  if (a.is_numeric() && b.is_numeric()) return compare_numbers(a, b) == Order::Equal;
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::Null:
      return true;
    case Type::Bool:
      return a.as_bool() == b.as_bool();
    case Type::String:
    case Type::Bytes:
    case Type::Type:
    case Type::Format:
    case Type::Url:
      return a.text() == b.text();
    case Type::List:
      return same_list(a, b);
    case Type::Map:
      return same_map(a, b);
    case Type::Duration:
      return a.as_int() == b.as_int();
    case Type::Timestamp:
      return a.moment().seconds == b.moment().seconds && a.moment().nanos == b.moment().nanos;
    case Type::Optional:
      return same_optional(a.item(), b.item());
    case Type::Quantity:
      return a.as_quantity() == b.as_quantity();
    case Type::Ip:
    case Type::Cidr:
      return same_address(a.as_address(), b.as_address());
    case Type::Semver:
      return compare(a.version(), b.version()) == 0;
    case Type::Opaque:
      return a.owner() != nullptr && b.owner() != nullptr && a.owner()->same(a, b);
    default:
      return false;
  }
}

std::optional<Order> compare(const Value& a, const Value& b) {
  if (a.is_numeric() && b.is_numeric()) return compare_numbers(a, b);
  if (a.type() != b.type()) return std::nullopt;
  switch (a.type()) {
    case Type::Bool:
      return order(a.as_bool(), b.as_bool());
    case Type::String:
    case Type::Bytes:
      return order(a.text(), b.text());
    case Type::Duration:
      return order(a.as_int(), b.as_int());
    case Type::Timestamp:
      if (a.moment().seconds != b.moment().seconds) {
        return order(a.moment().seconds, b.moment().seconds);
      }
      return order(a.moment().nanos, b.moment().nanos);
    default:
      return std::nullopt;
  }
}

}  // namespace trainyard::cel
