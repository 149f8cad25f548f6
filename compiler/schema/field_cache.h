#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "schema/pack.h"
#include "source/text_equal.h"

namespace trainyard {

/// Remembers where recently seen fields were found: the objects of a fleet have the same few fields
/// again and again, and one comparison is faster than a binary search. Never changes a result.
class FieldCache {
 public:
  /// The schema of a property, or kNoLimit when there is none.
  SchemaId find(const SchemaPack& pack, const SchemaNode& node, std::string_view name) {
    if (node.properties.count == 0) return kNoLimit;
    Entry& entry = entries_[slot(node.properties.first, name)];
    if (entry.table == node.properties.first && same_text(pack.text(entry.name), name)) {
      return entry.schema;
    }
    return look_up(pack, node, name, entry);
  }

 private:
  static constexpr unsigned kSlotBits = 10;
  struct Entry {
    std::uint32_t table = kNoLimit;
    PackText name;
    SchemaId schema = kNoLimit;
  };

  static std::size_t slot(std::uint32_t table, std::string_view name) {
    if (name.empty()) return table % (std::size_t{1} << kSlotBits);  // may have no address
    std::uint64_t head = head_of(name) ^ name.size() << 56U;
    head ^= static_cast<std::uint64_t>(static_cast<unsigned char>(name.back()));
    return ((head + table) * 0x9e3779b97f4a7c15U) >> (64U - kSlotBits);
  }

  /// The first eight bytes or, without a call, something like them of a shorter name.
  static std::uint64_t head_of(std::string_view name) {
    std::uint64_t head = 0;
    if (name.size() >= sizeof head) {
      std::memcpy(&head, name.data(), sizeof head);
      return head;
    }
    for (char c : name) head = head << 8U | static_cast<unsigned char>(c);
    return head;
  }

  static SchemaId look_up(const SchemaPack& pack, const SchemaNode& node, std::string_view name,
                          Entry& entry);

  std::array<Entry, std::size_t{1} << kSlotBits> entries_;
};

}  // namespace trainyard
