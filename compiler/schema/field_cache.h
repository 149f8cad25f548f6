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
    // Two places for each, so that two fields that meet in one do not drive each other out.
    const std::size_t at = slot(node.properties.first, name);
    Entry& entry = entries_[at];
    if (is_of(pack, entry, node, name)) return entry.schema;
    Entry& other = entries_[at ^ 1U];
    if (is_of(pack, other, node, name)) return other.schema;
    return look_up(pack, node, name, entry.table == kNoLimit ? entry : other);
  }

 private:
  static constexpr unsigned kSlotBits = 10;
  struct Entry {
    std::uint32_t table = kNoLimit;
    PackText name;
    SchemaId schema = kNoLimit;
  };

  static bool is_of(const SchemaPack& pack, const Entry& entry, const SchemaNode& node,
                    std::string_view name) {
    return entry.table == node.properties.first && same_text(pack.text(entry.name), name);
  }

  static std::size_t slot(std::uint32_t table, std::string_view name) {
    if (name.empty()) return table % (std::size_t{1} << kSlotBits);  // may have no address
    std::uint64_t head = head_of(name) ^ name.size() << 56U;
    head ^= static_cast<std::uint64_t>(static_cast<unsigned char>(name.back()));
    return ((head + table) * 0x9e3779b97f4a7c15U) >> (64U - kSlotBits);
  }

  /// The first eight bytes or, of a shorter name, all that it has.
  static std::uint64_t head_of(std::string_view name) {
    if (name.size() >= 8) return word_at<std::uint64_t>(name.data());
    const char* const last = name.data() + name.size();
    if (name.size() >= 4) {
      return word_at<std::uint32_t>(name.data()) | std::uint64_t{word_at<std::uint32_t>(last - 4)}
                                                       << 32U;
    }
    const auto byte = [](char c) { return std::uint64_t{static_cast<unsigned char>(c)}; };
    return byte(name[0]) | byte(name[name.size() / 2]) << 8U | byte(last[-1]) << 16U;
  }

  template <class Word>
  static Word word_at(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  static SchemaId look_up(const SchemaPack& pack, const SchemaNode& node, std::string_view name,
                          Entry& entry);

  std::array<Entry, std::size_t{1} << kSlotBits> entries_;
};

}  // namespace trainyard
