#pragma once

#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cel/value.h"
#include "source/arena.h"

namespace trainyard::cel {

/// Memory for what one evaluation makes: texts, items and entries. All of it is freed at once.
class Heap {
 public:
  std::string_view text(std::string_view text) { return texts_.intern(text); }

  template <class T>
  const T* keep(const T& object) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(object);
  }
  template <class T>
  const T* keep_all(const std::vector<T>& objects) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (objects.empty()) return nullptr;
    T* copy = static_cast<T*>(allocate(sizeof(T) * objects.size(), alignof(T)));
    std::uninitialized_copy(objects.begin(), objects.end(), copy);
    return copy;
  }

  Value string(std::string_view s) { return Value::string(text(s)); }
  Value error(std::string_view s) { return Value::error(text(s)); }
  Value list(const std::vector<Value>& items) { return Value::list(keep_all(items), items.size()); }
  Value map(const std::vector<Entry>& entries) {
    return Value::map(keep_all(entries), entries.size());
  }
  Value some(const Value& item) { return Value::optional(keep(item)); }

  void clear() { texts_.clear(); }

 private:
  void* allocate(std::size_t size, std::size_t alignment) {
    void* place = texts_.allocate(size + alignment);
    std::size_t space = size + alignment;
    return std::align(alignment, size, place, space);
  }

  Arena texts_;
};

}  // namespace trainyard::cel
