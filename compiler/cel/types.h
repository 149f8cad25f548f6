#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace trainyard::cel {

struct StaticType;
/// Types live in a `Types` and are compared by `same_type`, not by address.
using TypeRef = const StaticType*;

struct TypeField {
  std::string name;  // as expressions write it
  TypeRef type;
};

/// What is known of a value before there is one.
struct StaticType {
  enum class Sort : std::uint8_t {
    Unknown,  // we cannot tell, and say nothing of it
    Dynamic,  // declared as anything: `dyn`
    Simple,   // `kind` says which
    List,     // of `item`
    Map,      // of `key` to `item`
    Optional,
    Object,  // with `fields` and no others
  };

  Sort sort = Sort::Unknown;
  Type kind = Type::Opaque;
  TypeRef key = nullptr;
  TypeRef item = nullptr;
  std::string name;  // of an object
  std::vector<TypeField> fields;

  bool is(Sort wanted) const { return sort == wanted; }
  bool is(Type wanted) const { return sort == Sort::Simple && kind == wanted; }
  /// Whether it may turn out to be of any type.
  bool is_open() const { return sort == Sort::Unknown || sort == Sort::Dynamic; }
};

/// Keeps types, and makes them.
class Types {
 public:
  TypeRef unknown() const { return &unknown_; }
  TypeRef dynamic() const { return &dynamic_; }
  TypeRef simple(Type kind);
  TypeRef list(TypeRef item);
  TypeRef map(TypeRef key, TypeRef item);
  TypeRef optional(TypeRef item);
  TypeRef object(std::string name, std::vector<TypeField> fields);

 private:
  TypeRef keep(StaticType type) { return &kept_.emplace_back(std::move(type)); }

  static StaticType open(StaticType::Sort sort) {
    StaticType type;
    type.sort = sort;
    return type;
  }

  StaticType unknown_;
  StaticType dynamic_ = open(StaticType::Sort::Dynamic);
  std::deque<StaticType> kept_;
};

bool same_type(TypeRef a, TypeRef b);
/// Whether a value of type `from` may stand where one of type `to` is wanted.
bool fits_type(TypeRef from, TypeRef to);
/// As messages call it: `int`, `list(string)`, `Device`.
std::string type_text(TypeRef type);

}  // namespace trainyard::cel
