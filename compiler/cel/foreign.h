#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cel/value.h"

namespace trainyard::cel {

inline constexpr std::uint32_t kNoChild = 0xffffffff;

/// How the items of a list are identified: by place, by value, or by some of their fields.
enum class ListRule : std::uint8_t { Plain, Set, Keyed };

/// Data of the caller that expressions read in place: a document with its schema. A list or a map
/// in it is walked from child to child.
class Foreign {
 public:
  virtual ~Foreign() = default;

  virtual std::size_t size(const Value& collection) const = 0;
  virtual std::uint32_t first(const Value& collection) const = 0;  // kNoChild when it is empty
  virtual std::uint32_t next(const Value& collection, std::uint32_t child) const = 0;
  virtual std::string_view key(const Value& map, std::uint32_t child) const = 0;
  virtual Value value(const Value& collection, std::uint32_t child) const = 0;
  /// The value of a key of a map, or of a field of an object; nothing when it is not there.
  virtual std::optional<Value> find(const Value& map, std::string_view key) const = 0;
  /// Whether expressions may know of a field: an object has those of its schema, a map has any.
  virtual bool has_field(const Value& map, std::string_view key) const = 0;

  virtual ListRule list_rule(std::uint32_t schema) const = 0;
  /// The name of the key field `index` of a Keyed list; empty behind the last one.
  virtual std::string_view list_key(std::uint32_t schema, std::size_t index) const = 0;
  /// Deep equality of two Opaque values.
  virtual bool same(const Value& a, const Value& b) const = 0;
};

}  // namespace trainyard::cel
