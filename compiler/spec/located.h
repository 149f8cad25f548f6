#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// A field of a document, together with where it was written. A field that was left out has the
/// value of a default-constructed T and no place; what it then means is for the rules to say.
template <class T>
struct Located {
  T value{};
  Span span;              // of the value in the source
  NodeId node = kNoNode;  // of the value in the tree it was read from

  bool given() const { return node != kNoNode; }
  explicit operator bool() const { return given(); }
  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
  T value_or(T otherwise) const { return given() ? value : std::move(otherwise); }
};

/// A length of time in whole seconds.
struct Seconds {
  std::int64_t count = 0;
  friend bool operator==(Seconds, Seconds) = default;
};

/// A part in a shape of Kubernetes, which stays as it is: `node` of its Located is all there is.
struct Subtree {};

/// An entry of a map whose keys the user chooses.
template <class T>
struct Entry {
  std::string_view key;
  Span key_span;
  Located<T> value;
};
/// In the order of the document.
template <class T>
using Map = std::vector<Entry<T>>;

using Text = Located<std::string_view>;  // views into the tree or its source
using QuantityText = Text;               // a Kubernetes quantity as it was written
using Integer = Located<std::int64_t>;
using Flag = Located<bool>;
using Duration = Located<Seconds>;
using Shape = Located<Subtree>;
using TextList = Located<std::vector<Text>>;
using TextMap = Located<Map<std::string_view>>;
using IntegerMap = Located<Map<std::int64_t>>;

/// The value of a key, or nothing.
template <class T>
const Located<T>* find(const Map<T>& map, std::string_view key) {
  for (const Entry<T>& entry : map) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

}  // namespace trainyard
