#pragma once

#include <optional>

#include "cel/foreign.h"
#include "cel/value.h"

namespace trainyard::cel {

/// The number of items of a list or of entries of a map.
std::size_t size_of(const Value& collection);

/// Walks a list, or the keys and values of a map, native or foreign.
///
///     for (Walker at(list); at; at.next()) use(at.value());
class Walker {
 public:
  explicit Walker(const Value& collection);

  explicit operator bool() const {
    return collection_.is_foreign() ? child_ != kNoChild : index_ < collection_.native_size();
  }
  void next();
  std::size_t index() const { return index_; }
  Value key() const;    // of a map
  Value value() const;  // an item of a list, the value of an entry

 private:
  Value collection_;
  std::size_t index_ = 0;
  std::uint32_t child_ = kNoChild;
};

/// An item of a list; the index is in range.
Value item_at(const Value& list, std::size_t index);

/// The value of a key of a map, numbers of different types being equal; nothing when there is none.
std::optional<Value> find_key(const Value& map, const Value& key);

}  // namespace trainyard::cel
