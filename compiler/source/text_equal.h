#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainyard {

/// `a == b` without a call for texts as short as names are.
inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  const auto differ = [&]<class Word>(Word, std::size_t at) {
    Word x;
    Word y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return x != y;
  };
  // Two words from both ends may overlap.
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  if (size >= 8) return !differ(std::uint64_t{}, 0) && !differ(std::uint64_t{}, size - 8);
  if (size >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace trainyard
