#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tree/quantity.h"

namespace trainyard::cel {

class Foreign;
class Value;
struct Entry;
struct Version;
struct Link;

enum class Type : std::uint8_t {
  Error,
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  List,
  Map,
  Duration,
  Timestamp,
  Type,
  Optional,
  // of the libraries of Kubernetes
  Quantity,
  Ip,
  Cidr,
  Url,
  Semver,
  Format,
  Opaque,  // data that no schema describes: it can be compared, nothing else
};

/// The name that `type(x)` has in CEL.
std::string_view type_name(Type type);

/// A point in time, or the seconds and nanoseconds of one.
struct Moment {
  std::int64_t seconds = 0;  // since 1970, may be negative
  std::int32_t nanos = 0;    // 0..999999999
};

/// An IPv4 or IPv6 address, with the length of a prefix for a network.
struct Address {
  unsigned char bytes[16] = {};
  std::uint8_t size = 4;
  std::uint8_t prefix = 0;
};

/// A value of CEL: small, copied freely. What it points into (the arena of an evaluation, the
/// program, the document) outlives it.
///
/// A list or a map is either native, an array of values, or foreign: a node of the
/// caller's data that is read in place.
class Value {
 public:
  Value() = default;

  static Value error(std::string_view text) { return texted(Type::Error, text); }
  static Value null() { return Value(Type::Null); }
  static Value boolean(bool b) {
    Value v(Type::Bool);
    v.as_.boolean = b;
    return v;
  }
  static Value integer(std::int64_t i) {
    Value v(Type::Int);
    v.as_.integer = i;
    return v;
  }
  static Value unsigned_integer(std::uint64_t u) {
    Value v(Type::Uint);
    v.as_.natural = u;
    return v;
  }
  static Value number(double d) {
    Value v(Type::Double);
    v.as_.number = d;
    return v;
  }
  static Value string(std::string_view text) { return texted(Type::String, text); }
  static Value bytes(std::string_view text) { return texted(Type::Bytes, text); }
  static Value type(std::string_view name) { return texted(Type::Type, name); }
  static Value format(std::string_view name) { return texted(Type::Format, name); }
  static Value url(std::string_view text) { return texted(Type::Url, text); }
  static Value list(const Value* items, std::size_t size) {
    Value v(Type::List);
    v.as_.items = {items, size};
    return v;
  }
  static Value map(const Entry* entries, std::size_t size) {
    Value v(Type::Map);
    v.as_.entries = {entries, size};
    return v;
  }
  static Value duration(std::int64_t nanos) {
    Value v(Type::Duration);
    v.as_.integer = nanos;
    return v;
  }
  static Value timestamp(Moment moment) {
    Value v(Type::Timestamp);
    v.as_.moment = moment;
    return v;
  }
  /// `none` without an item.
  static Value optional(const Value* item) {
    Value v(Type::Optional);
    v.as_.item = item;
    return v;
  }
  static Value quantity(const Quantity* q) {
    Value v(Type::Quantity);
    v.as_.quantity = q;
    return v;
  }
  static Value address(Type type, const Address* a) {
    Value v(type);
    v.as_.address = a;
    return v;
  }
  static Value semver(const Version* version) {
    Value v(Type::Semver);
    v.as_.version = version;
    return v;
  }
  /// A List, Map or Opaque in the data of `owner`, which alone knows what `node` and `schema` mean.
  static Value foreign(Type type, const Foreign* owner, std::uint32_t node, std::uint32_t schema) {
    Value v(type);
    v.owner_ = owner;
    v.is_foreign_ = true;
    v.schema_ = schema;
    v.as_.node = node;
    return v;
  }
  /// A native list that follows the rules of `owner` for lists of that schema.
  Value ruled_by(const Foreign* owner, std::uint32_t schema) const {
    Value v = *this;
    v.owner_ = owner;
    v.schema_ = schema;
    return v;
  }

  Type type() const { return type_; }
  bool is(Type type) const { return type_ == type; }
  bool is_error() const { return type_ == Type::Error; }
  bool is_true() const { return type_ == Type::Bool && as_.boolean; }
  bool is_false() const { return type_ == Type::Bool && !as_.boolean; }
  bool is_numeric() const { return type_ >= Type::Int && type_ <= Type::Double; }

  bool as_bool() const { return as_.boolean; }
  std::int64_t as_int() const { return as_.integer; }  // of an Int, or a Duration's nanoseconds
  std::uint64_t as_uint() const { return as_.natural; }
  double as_double() const { return as_.number; }
  std::string_view text() const { return {as_.text.data, as_.text.size}; }
  Moment moment() const { return as_.moment; }
  const Value* item() const { return as_.item; }
  const Quantity& as_quantity() const { return *as_.quantity; }
  const Address& as_address() const { return *as_.address; }
  const Version& version() const { return *as_.version; }

  bool is_foreign() const { return is_foreign_; }
  const Foreign* owner() const { return owner_; }
  std::uint32_t node() const { return as_.node; }
  std::uint32_t schema() const { return schema_; }
  const Value* items() const { return as_.items.first; }
  const Entry* entries() const { return as_.entries.first; }
  std::size_t native_size() const { return as_.items.size; }

 private:
  explicit Value(Type type) : type_(type) {}
  static Value texted(Type type, std::string_view text) {
    Value v(type);
    v.as_.text = {text.data(), text.size()};
    return v;
  }

  struct Text {
    const char* data;
    std::size_t size;
  };
  struct Items {
    const Value* first;
    std::size_t size;
  };
  struct Entries {
    const Entry* first;
    std::size_t size;
  };
  union Payload {
    Text text;
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;
    double number;
    Items items;
    Entries entries;
    Moment moment;
    const Value* item;
    const Quantity* quantity;
    const Address* address;
    const Version* version;
    std::uint32_t node;
    constexpr Payload() : text{nullptr, 0} {}
  };

  Type type_ = Type::Null;
  bool is_foreign_ = false;
  std::uint32_t schema_ = 0;
  const Foreign* owner_ = nullptr;
  Payload as_;
};

/// An entry of a native map; their order is that of the source.
struct Entry {
  Value key;
  Value value;
};

}  // namespace trainyard::cel
