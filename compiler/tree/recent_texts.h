#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainyard {

/// Short texts that were seen a short while ago, each with a note on it: the keys of manifests, and
/// many of their values, are the same few words again and again. Forgets at will, so that not to
/// know a text means nothing.
class RecentTexts {
 public:
  static constexpr std::size_t kLongest = 32;

  /// The note on a text of 1 to kLongest bytes; null when it is not known.
  const std::uint8_t* find(std::string_view text) const {
    const Words words(text);
    const Entry& entry = entries_[words.slot()];
    return entry.words == words ? &entry.note : nullptr;
  }
  void add(std::string_view text, std::uint8_t note) {
    const Words words(text);
    entries_[words.slot()] = {words, note};
  }

 private:
  static constexpr unsigned kSlotBits = 9;

  /// All bytes of a text in words that may overlap: equal ones of equal size are the same text.
  struct Words {
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    std::uint32_t size = 0;  // 0: no text

    constexpr Words() = default;
    explicit Words(std::string_view text) : size(static_cast<std::uint32_t>(text.size())) {
      const char* const begin = text.data();
      const char* const end = begin + size;
      if (size > 16) {
        a = load<std::uint64_t>(begin);
        b = load<std::uint64_t>(end - 8);
        c = load<std::uint64_t>(begin + 8);
        d = load<std::uint64_t>(end - 16);
      } else if (size >= 8) {
        a = load<std::uint64_t>(begin);
        b = load<std::uint64_t>(end - 8);
      } else if (size >= 4) {
        a = load<std::uint32_t>(begin);
        b = load<std::uint32_t>(end - 4);
      } else {
        a = static_cast<unsigned char>(begin[0]);
        b = static_cast<unsigned char>(begin[size / 2]);
        c = static_cast<unsigned char>(end[-1]);
      }
    }

    std::size_t slot() const {
      const std::uint64_t mixed = (a ^ b << 1U) + (c ^ d << 1U) + size;
      return mixed * 0x9e3779b97f4a7c15U >> (64U - kSlotBits);
    }
    bool operator==(const Words& other) const {
      return ((a ^ other.a) | (b ^ other.b) | (c ^ other.c) | (d ^ other.d) |
              (size ^ other.size)) == 0;
    }

    template <class Word>
    static std::uint64_t load(const char* from) {
      Word value;
      std::memcpy(&value, from, sizeof value);
      return value;
    }
  };

  struct Entry {
    Words words;
    std::uint8_t note = 0;
  };

  std::array<Entry, std::size_t{1} << kSlotBits> entries_{};
};

}  // namespace trainyard
