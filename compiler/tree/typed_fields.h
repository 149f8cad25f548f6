#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

// How checks read a manifest: as the API server sees it once it is decoded. A null is an absent
// field, and an empty text is one that is not set. Values of a wrong type are ignored, because the
// schema check reports them.

/// The value of a key; an empty view when there is none or it is null.
inline View get(View map, std::string_view key) {
  const View value = map[key];
  return value && value.kind() != Kind::Null ? value : View();
}

/// The text of a string; "" for anything else.
inline std::string_view string_of(View value) {
  return value && value.kind() == Kind::String ? value->text : std::string_view();
}
inline std::string_view string_at(View map, std::string_view key) {
  return string_of(get(map, key));
}

inline std::optional<std::int64_t> integer_of(View value) {
  return value ? as_int64(*value) : std::nullopt;
}
inline std::optional<std::int64_t> integer_at(View map, std::string_view key) {
  return integer_of(get(map, key));
}

inline bool is_true(View value) {
  return value && value.kind() == Kind::Bool && value->text == "true";
}
inline bool is_false(View value) {
  return value && value.kind() == Kind::Bool && value->text == "false";
}
inline bool has_items(View value) {
  return value && (value->is_seq() || value->is_map()) && value->size != 0;
}

/// The items of a list or the entries of a map, each as a view.
class Items {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = View;
    using difference_type = std::ptrdiff_t;
    using pointer = const View*;
    using reference = View;

    Iterator() = default;
    explicit Iterator(View at) : at_(at) {}
    View operator*() const { return at_; }
    Iterator& operator++() {
      at_ = at_.next();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.at_.id() == b.at_.id();
    }

   private:
    View at_;
  };

  Items() = default;
  explicit Items(View parent) {
    if (parent) first_ = Iterator(parent.first());
  }
  Iterator begin() const { return first_; }
  Iterator end() const { return {}; }

 private:
  Iterator first_;
};

/// The items of the list at `key`; none when there is no list.
inline Items items_at(View map, std::string_view key) {
  const View list = get(map, key);
  return list && list->is_seq() ? Items(list) : Items();
}
/// The entries of the map at `key`; none when there is no map.
inline Items entries_at(View map, std::string_view key) {
  const View entries = get(map, key);
  return entries && entries->is_map() ? Items(entries) : Items();
}

}  // namespace trainyard
