#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainyard {

/// Short texts that were seen a short while ago and found to be all right: the keys of manifests,
/// and many of their values, are the same few words again and again. Forgets at will, so that not
/// to hold a text means nothing.
class RecentTexts {
 public:
  static constexpr std::size_t kLongest = 32;

  /// Whether a text of 1 to kLongest bytes is here.
  bool holds(std::string_view text) const {
    const Words words(text);
    return entries_[words.slot()] == words;
  }
  void add(std::string_view text) {
    const Words words(text);
    entries_[words.slot()] = words;
  }

 private:
  static constexpr unsigned kSlotBits = 8;

  /// All bytes of a text in words that may overlap: equal ones of equal size are the same text.
  struct Words {
    std::array<std::uint64_t, 4> word{};
    std::uint32_t size = 0;  // 0: no text

    constexpr Words() = default;
    explicit Words(std::string_view text) : size(static_cast<std::uint32_t>(text.size())) {
      const char* const begin = text.data();
      const char* const end = begin + size;
      if (size >= 8) {
        word[0] = load<std::uint64_t>(begin);
        word[1] = load<std::uint64_t>(end - 8);
        if (size > 16) {
          word[2] = load<std::uint64_t>(begin + 8);
          word[3] = load<std::uint64_t>(end - 16);
        }
      } else if (size >= 4) {
        word[0] = load<std::uint32_t>(begin);
        word[1] = load<std::uint32_t>(end - 4);
      } else {
        for (char c : text) word[0] = word[0] << 8U | static_cast<unsigned char>(c);
      }
    }

    std::size_t slot() const {
      const std::uint64_t mixed = (word[0] ^ word[1] << 1U) + (word[2] ^ word[3] << 1U) + size;
      return mixed * 0x9e3779b97f4a7c15U >> (64U - kSlotBits);
    }
    bool operator==(const Words& other) const {
      return size == other.size && word[0] == other.word[0] && word[1] == other.word[1] &&
             word[2] == other.word[2] && word[3] == other.word[3];
    }

    template <class Word>
    static std::uint64_t load(const char* from) {
      Word value;
      std::memcpy(&value, from, sizeof value);
      return value;
    }
  };

  std::array<Words, std::size_t{1} << kSlotBits> entries_{};
};

}  // namespace trainyard
