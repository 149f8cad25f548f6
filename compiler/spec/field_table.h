#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "diag/sink.h"
#include "spec/enum_words.h"
#include "spec/located.h"
#include "tree/tree.h"

/// How documents become structs: one table per struct with one row per field. A field is added by a
/// member of the struct, a row of its table and a property of the schema; a test compares the last
/// two. The schema check has been before, so a value of the wrong kind is passed over in silence.
namespace trainyard {

/// What a field holds, for the comparison with the schema.
enum class FieldType : std::uint8_t {
  String,
  Number,
  Boolean,
  Time,
  Choice,      // a word of an enumeration
  Kubernetes,  // a subtree in a shape of Kubernetes
  Struct,
  StringList,
  NumberList,
  ChoiceList,
  StructList,
  StringMap,
  NumberMap,
  StructMap,
};

struct FieldTable;

/// What decoding reads from and reports to.
struct Decoding {
  const Tree& tree;
  Sink& sink;
  NodeId root = kNoNode;
};

/// One field of a struct.
struct FieldRow {
  std::string_view name;
  FieldType type = FieldType::String;
  bool choice = false;  // only one of these fields may be given
  void (*set)(const Decoding&, NodeId, void* owner) = nullptr;
  const FieldTable& (*group)() = nullptr;                  // of a Struct, StructList or StructMap
  std::span<const std::string_view> (*words)() = nullptr;  // of a Choice or ChoiceList

  constexpr FieldRow or_else() const {
    FieldRow field = *this;
    field.choice = true;
    return field;
  }
};

/// How many of the fields marked as a choice must be given.
enum class Choice : std::uint8_t { Free, AtMostOne, ExactlyOne };

/// The fields of a struct.
struct FieldTable {
  std::span<const FieldRow> fields;
  Choice choice = Choice::Free;
};

/// A struct with a table.
template <class T>
concept Group = requires(const T* type) {
  { field_table(type) } -> std::same_as<const FieldTable&>;
};

bool read_group(const Decoding& in, NodeId node, const FieldTable& table, void* owner);

bool read_value(const Decoding& in, NodeId node, std::string_view& out);
bool read_value(const Decoding& in, NodeId node, std::int64_t& out);
bool read_value(const Decoding& in, NodeId node, bool& out);
bool read_value(const Decoding& in, NodeId node, Seconds& out);
inline bool read_value(const Decoding&, NodeId, Subtree&) {
  return true;
}

template <Word E>
bool read_value(const Decoding& in, NodeId node, E& out) {
  const auto value = from_spelling<E>(in.tree[node].text);
  if (value) out = *value;
  return value.has_value();
}

template <Group T>
bool read_value(const Decoding& in, NodeId node, T& out) {
  return read_group(in, node, field_table(static_cast<const T*>(nullptr)), &out);
}

template <class T>
bool read_value(const Decoding& in, NodeId node, std::vector<Located<T>>& out);
template <class T>
bool read_value(const Decoding& in, NodeId node, Map<T>& out);

template <class T>
void read_located(const Decoding& in, NodeId node, Located<T>& out) {
  if (!read_value(in, node, out.value)) return;
  out.span = in.tree[node].span;
  out.node = node;
}

template <class T>
bool read_value(const Decoding& in, NodeId node, std::vector<Located<T>>& out) {
  if (!in.tree[node].is_seq()) return false;
  out.reserve(in.tree[node].size);
  for (NodeId child : in.tree.children(node)) {
    Located<T> item;
    read_located(in, child, item);
    if (item.given()) out.push_back(std::move(item));
  }
  return true;
}

template <class T>
bool read_value(const Decoding& in, NodeId node, Map<T>& out) {
  if (!in.tree[node].is_map()) return false;
  out.reserve(in.tree[node].size);
  for (NodeId child : in.tree.children(node)) {
    Entry<T> entry{in.tree[child].key, in.tree[child].key_span, {}};
    read_located(in, child, entry.value);
    if (entry.value.given()) out.push_back(std::move(entry));
  }
  // A map has no order, so what is made from it must not depend on the order in the file.
  std::sort(out.begin(), out.end(),
            [](const Entry<T>& a, const Entry<T>& b) { return a.key < b.key; });
  return true;
}

namespace detail {

template <class T>
constexpr FieldType single_type() {
  if constexpr (std::is_same_v<T, std::string_view>) return FieldType::String;
  if constexpr (std::is_same_v<T, std::int64_t>) return FieldType::Number;
  if constexpr (std::is_same_v<T, bool>) return FieldType::Boolean;
  if constexpr (std::is_same_v<T, Seconds>) return FieldType::Time;
  if constexpr (std::is_same_v<T, Subtree>) return FieldType::Kubernetes;
  if constexpr (Word<T>) return FieldType::Choice;
  if constexpr (Group<T>) return FieldType::Struct;
}

constexpr FieldType list_of(FieldType item) {
  switch (item) {
    case FieldType::Choice:
      return FieldType::ChoiceList;
    case FieldType::Number:
      return FieldType::NumberList;
    case FieldType::Struct:
      return FieldType::StructList;
    default:
      return FieldType::StringList;
  }
}

constexpr FieldType map_of(FieldType item) {
  switch (item) {
    case FieldType::Number:
      return FieldType::NumberMap;
    case FieldType::Struct:
      return FieldType::StructMap;
    default:
      return FieldType::StringMap;
  }
}

/// The type of a field, and of what a list or map holds.
template <class T>
struct Holds {
  using Item = T;
  static constexpr FieldType type = single_type<T>();
};
template <class T>
struct Holds<std::vector<Located<T>>> {
  using Item = T;
  static constexpr FieldType type = list_of(single_type<T>());
};
template <class T>
struct Holds<Map<T>> {
  using Item = T;
  static constexpr FieldType type = map_of(single_type<T>());
};

template <Word E>
std::span<const std::string_view> words_of() {
  return words(E{});
}

template <class Owner, class T>
T located_type(Located<T> Owner::*);

template <class T>
const FieldTable& table_for() {
  return field_table(static_cast<const T*>(nullptr));
}

}  // namespace detail

/// A row of the table of `Owner`; the member may belong to a base of it.
template <class Owner, auto Member>
constexpr FieldRow field(std::string_view name) {
  using Value = decltype(detail::located_type(Member));
  using Item = typename detail::Holds<Value>::Item;
  FieldRow row;
  row.name = name;
  row.type = detail::Holds<Value>::type;
  row.set = [](const Decoding& in, NodeId node, void* owner) {
    read_located(in, node, static_cast<Owner*>(owner)->*Member);
  };
  if constexpr (Group<Item>) row.group = &detail::table_for<Item>;
  if constexpr (Word<Item>) row.words = &detail::words_of<Item>;
  return row;
}

/// Two lists of rows, one after the other.
template <std::size_t N, std::size_t M>
constexpr std::array<FieldRow, N + M> join(const std::array<FieldRow, N>& a,
                                           const std::array<FieldRow, M>& b) {
  std::array<FieldRow, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = a[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = b[i];
  return all;
}

}  // namespace trainyard
